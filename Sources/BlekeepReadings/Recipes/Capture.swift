/// What one device advertised, holds and answered: recorded at its owner's, and played again elsewhere, as a simulated device
/// and as a test of a recipe. `CaptureRedaction` replaces what says whose device it is.
package struct Capture: Sendable, Hashable {
    /// The day, as 2026-11-26.
    package var date = ""
    /// The name of the recipe that asked the device; `nil` without one.
    package var recipe: String?
    package var address: BluetoothAddress
    /// Whether the address is a random one; `nil` when BlueZ doesn't say.
    package var isRandom: Bool?
    package var name: String?
    package var appearance: UInt16?
    package var isPaired = false
    /// What was replaced in it, such as `the address`.
    package var replaced: [String] = []
    package var packets: [Packet] = []
    package var services: [Service] = []
    /// What was sent and what came, in order.
    package var exchanges: [Exchange] = []
    /// Why the conversation failed; `nil` when it didn't, or without a recipe.
    package var failure: String?
    /// What blekeep read, as `Measurement.plain` writes it.
    package var expected: [Value] = []

    package init(address: BluetoothAddress) { self.address = address }

    package enum Limit {
        package static let packets = 32
        package static let characteristics = 256
        package static let exchanges = 1024
        /// Of all exchanges together.
        package static let bytes = 64 * 1024
        package static let values = 2048
    }

    package struct Packet: Sendable, Hashable {
        /// The time since the first one.
        package var time: Duration
        package var rssi: Int?
        package var services: [BluetoothUUID] = []
        package var manufacturerData: [UInt16: [UInt8]] = [:]
        package var serviceData: [BluetoothUUID: [UInt8]] = [:]

        package init(at time: Duration) { self.time = time }
    }

    package struct Service: Sendable, Hashable {
        package var uuid: BluetoothUUID
        package var characteristics: [Characteristic] = []

        package init(_ uuid: BluetoothUUID) { self.uuid = uuid }
    }

    package struct Characteristic: Sendable, Hashable {
        package var uuid: BluetoothUUID
        package var flags: [String]
        /// `nil` when it wasn't read.
        package var value: [UInt8]?
        /// Why it couldn't be read.
        package var failure: String?
        package var descriptors: [BluetoothUUID] = []

        package init(_ uuid: BluetoothUUID, flags: [String]) { (self.uuid, self.flags) = (uuid, flags) }
    }

    /// A value that blekeep read, as text.
    package struct Value: Sendable, Hashable {
        package var field: String
        package var text: String

        package init(field: String, text: String) { (self.field, self.text) = (field, text) }

        package init(_ measurement: Measurement) {
            self.init(field: measurement.field, text: measurement.value?.plain ?? measurement.state ?? "none")
        }
    }

    /// Plays the conversation again.
    package func trial(of recipe: Recipe) -> RecipeTrial { RecipeTrial(recipe, capture: self) }

    package func values(by recipe: Recipe) -> [Value] {
        trial(of: recipe).outcome.answers.flatMap(\.measurements).map { Value($0) }
    }
}

/// Bytes at a characteristic, in one direction, or the result of a call.
package struct Exchange: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case read, written, notified, subscribed, failed
    }

    package var kind: Kind
    package var characteristic: RecipeCharacteristic
    /// What was read, written or notified.
    package var bytes: [UInt8] = []
    package var failure: String?
    /// The time since the conversation began: when a write began, or when another call ended.
    package var time = Duration.zero

    package init(
        _ kind: Kind, _ characteristic: RecipeCharacteristic, _ bytes: [UInt8] = [], failure: String? = nil,
        at time: Duration = .zero
    ) {
        self.kind = kind
        self.characteristic = characteristic
        self.bytes = bytes
        self.failure = failure
        self.time = time
    }

    /// Whether it is at a characteristic of a recipe, which may name no service.
    func isAt(_ wanted: RecipeCharacteristic) -> Bool { characteristic.isOne(of: wanted) }
}

extension RecipeTrial {
    /// Holds the conversation of a capture again: the device answers as it did then.
    package init(_ recipe: Recipe, capture: Capture) {
        var setting = Conversation.Setting(
            characteristics: capture.services.flatMap { service in
                service.characteristics.map { RecipeCharacteristic($0.uuid, in: service.uuid) }
            })
        setting.secret = Array(Self.secret.utf8)
        setting.random = Self.random
        var conversation = Conversation(recipe, setting)
        var rest = capture.exchanges[...]
        var now = Duration.zero
        var action = conversation.handle(.begin, at: now)

        /// Returns the next exchange that fits. The notifications before it are received.
        func next(where fits: (Exchange) -> Bool) -> Exchange? {
            guard let place = rest.firstIndex(where: fits) else { return nil }
            for exchange in rest[..<place] where exchange.kind == .notified {
                conversation.received(exchange.bytes, from: exchange.characteristic, at: max(now, exchange.time))
            }
            defer { rest = rest[(place + 1)...] }
            now = max(now, rest[place].time)
            return rest[place]
        }

        func event(of exchange: Exchange?, _ done: Conversation.Event) -> Conversation.Event {
            guard var exchange else { return .failed(ReadingFailure(.noAnswer, "the capture has no answer")) }
            // A write is there when it began, and once more when it failed.
            if exchange.kind == .written, let other = rest.first(where: { $0.kind != .notified }),
                other.kind == .failed,
                other.characteristic == exchange.characteristic
            {
                exchange = next { $0.kind == .failed } ?? exchange
            }
            if exchange.kind == .failed { return .failed(ReadingFailure(.noAnswer, exchange.failure ?? "")) }
            return done
        }

        while true {
            switch action {
            case .end(let outcome):
                self.init(outcome: outcome, exchange: capture.exchanges, unused: rest.count)
                return
            case .read(let source, _):
                let found = next { $0.isAt(source) && ($0.kind == .read || $0.kind == .failed) }
                action = conversation.handle(event(of: found, .value(found?.bytes ?? [])), at: now)
            case .write(let target, let bytes, _, _):
                let secret = setting.secret ?? []
                let write = recipe.writes.first { $0.characteristic == target && $0.bytes.fits(bytes, secret: secret) }
                // A time in it is another one now.
                let found = next { exchange in
                    exchange.isAt(target) && exchange.kind == .written
                        && (exchange.bytes == bytes || write?.bytes.fits(exchange.bytes, secret: secret) == true)
                }
                action = conversation.handle(event(of: found, .done), at: now)
            case .subscribe(let source, _):
                // A capture without this call may still have what came.
                if rest.contains(where: { $0.isAt(source) && $0.kind == .subscribed }) {
                    _ = next { $0.isAt(source) && $0.kind == .subscribed }
                }
                action = conversation.handle(.done, at: now)
            case .listen(let end), .pause(let end):
                if let notified = rest.first, notified.kind == .notified, notified.time <= end {
                    rest.removeFirst()
                    now = max(now, notified.time)
                    conversation.received(notified.bytes, from: notified.characteristic, at: now)
                    if case .pause = action { continue }
                } else {
                    now = max(now, end)
                }
                action = conversation.handle(.resume, at: now)
            }
        }
    }
}
