/// How to ask a device that doesn't just hold values: what to write, which answers to await, and what they mean.
///
/// A recipe is data, written in YAML: see "Write a recipe". ``Conversation`` follows it. It writes what its text says, and
/// nothing else.
package struct Recipe: Sendable, Hashable {
    /// What devices name it by: `a-z`, `0-9`, `-` and `_`.
    package var name: String
    /// The name for users, such as `Mi Flora`; the name of its readings.
    package var title: String
    /// A sentence about its devices; may be empty.
    package var about = ""
    /// Where its facts come from, such as a package with its version; what is unsure or isn't read; and who tried it on hardware. `nil` when
    /// it doesn't say.
    package var facts, limits, tried: String?
    /// What its devices advertise and say of themselves; any of these.
    package var recognition: [Recognition] = []
    /// Devices that look like its own, but must never be connected.
    package var never: [Recognition] = []
    package var steps: [Step] = []
    /// The writes that end each conversation, also one that failed.
    package var last: [Write] = []
    /// What the device keeps in its own memory; `nil` when nothing is known of that.
    package var log: Log?
    /// What requests start with that clear the device's memory, and must never be sent.
    package var clears: [[UInt8?]] = []
    /// The longest time of a conversation, without its last writes: 1 s to 5 min.
    package var timeout: Duration = .seconds(60)
    /// How often a step is tried: 1 to 5.
    package var tries = 2
    /// The shortest interval of its devices; `nil` for any.
    package var minInterval: Duration?
    /// The time that a device needs after a request before the next conversation or try. That is a short `minInterval`: a
    /// long one only spares the device's battery.
    package var rest: Duration { minInterval.flatMap { $0 <= Self.maxRest ? $0 : nil } ?? .zero }
    package var connection = Connection.any
    /// Whether the device answers only when it is paired.
    package var needsBond = false
    /// Whether its devices advertise their values, too: `add` then prefers these, which need no connection.
    package var advertises = false
    /// Whether a user wrote it, and no release of blekeep has it.
    package var isOwn = false
    /// Its text in YAML, as an item of a list.
    package var source = ""
    /// The answers of its first test that expects values: a simulated device gives them. `nil` stands for no answer.
    package var example: [[UInt8]?] = []

    /// Such a rest fits into a tick.
    private static let maxRest: Duration = .seconds(20)

    package init(name: String, title: String) { (self.name, self.title) = (name, title) }

    /// What happens to the connection after a conversation.
    package enum Connection: String, Sendable, Hashable, CaseIterable {
        /// What `mode` of the device says.
        case any
        /// blekeep always disconnects: the device sleeps, or serves one program at a time.
        case release
        /// The connection stays.
        case hold
    }

    // MARK: Steps

    package struct Step: Sendable, Hashable {
        package enum Action: Sendable, Hashable {
            case read(RecipeCharacteristic)
            case write(Write)
            /// Writes, and awaits the answer, which this characteristic notifies.
            case ask(Write, RecipeCharacteristic)
            /// Awaits an answer that the device sends by itself.
            case await(RecipeCharacteristic)
            case subscribe(RecipeCharacteristic)
            case pause(Duration)
            /// Performs steps as often as the number says; the index goes from `first`.
            case loop(RecipeNumber, first: Int, [Step])
        }

        package var action: Action
        /// How long a call, or the answer, may take: 100 ms to 1 min.
        package var within: Duration = .seconds(5)
        package var conditions: [RecipeCondition] = []
        /// Whether the conversation goes on without this step's answer.
        package var isOptional = false
        /// What its answer is; `nil` for a step without an answer.
        package var answer: Answer?

        package init(_ action: Action) { self.action = action }
    }

    package struct Answer: Sendable, Hashable {
        package var frame = FrameRule()
        /// What this step's answers start with; other answers aren't for this step.
        package var start: [Piece] = []
        package var endian = Endian.little
        package var fields: [RecipeField] = []
        /// An answer that repeats one of these from its first byte to its last means nothing.
        package var empty: [[UInt8]] = []
        /// An answer that fits all conditions of one of these lists is refused.
        package var refusals: [[RecipeCondition]] = []

        package init() {}
    }

    package struct Write: Sendable, Hashable {
        package var characteristic: RecipeCharacteristic
        package var bytes: [Piece]
        /// Whether the device confirms it; `nil` for what the characteristic's properties say: with a response if it can.
        package var withResponse: Bool?

        package init(_ characteristic: RecipeCharacteristic, _ bytes: [Piece], withResponse: Bool? = nil) {
            self.characteristic = characteristic
            self.bytes = bytes
            self.withResponse = withResponse
        }
    }

    /// A part of a request, or of what an answer starts with.
    package enum Piece: Sendable, Hashable {
        case bytes([UInt8])
        /// Any byte, in an answer.
        case any
        /// A number that is computed, plus `add`.
        case number(Number, bits: Int, endian: Endian, add: Int)
        /// The check of the bytes before it, from an index.
        case check(Checksum, from: Int, endian: Endian)
        /// Random bytes, the same in all pieces of a step.
        case nonce(Int)
        /// The user's secret of the device.
        case secret

        /// What a number counts.
        package enum Number: String, Sendable, Hashable, CaseIterable {
            /// The number of bytes of the whole request.
            case length
            /// The number of bytes of the secret.
            case secretLength = "secret_length"
            /// The index of the round, in a loop.
            case index
            /// The number of the request in the conversation, from 0.
            case counter
            /// Seconds since 1970, UTC.
            case unixTime = "unix_time"
            /// The same, of the oldest record that a log's request asks for.
            case since
            /// How many intervals ago that was, rounded up.
            case back
            /// Of the local day.
            case hour, minute, second
        }

        /// The maximum number of bytes of a nonce.
        package static let maxNonce = 16
    }

    /// All its steps, also those inside of loops.
    package var allSteps: [Step] {
        steps.flatMap { step in
            if case .loop(_, _, let inner) = step.action { [step] + inner } else { [step] }
        }
    }

    /// All that it may write, in the order of its steps.
    package var writes: [Write] {
        allSteps.compactMap { step in
            switch step.action {
            case .write(let write), .ask(let write, _): write
            default: nil
            }
        } + last + (log?.writes ?? [])
    }

    /// Whether it sends the user's secret.
    package var needsSecret: Bool { writes.contains { $0.bytes.contains { $0.isSecret } } }

    // MARK: Recognition

    /// What a device advertises, and says of itself; all that aren't `nil` must fit.
    package struct Recognition: Sendable, Hashable {
        /// The advertised name, where `*` stands for any text, and `?` for any character.
        package var name: String?
        package var service: BluetoothUUID?
        /// The company number of manufacturer data.
        package var company: UInt16?
        /// The beginning of the address, such as `A4:C1:38`.
        package var address: String?
        /// The texts of characteristics 2A24 and 2A26, as `name`.
        package var model, firmware: String?

        package init(
            name: String? = nil, service: BluetoothUUID? = nil, company: UInt16? = nil, address: String? = nil,
            model: String? = nil, firmware: String? = nil
        ) {
            self.name = name
            self.address = address
            self.service = service
            self.company = company
            self.model = model
            self.firmware = firmware
        }

        /// Whether it tells more than nothing before a connection.
        package var isAdvertised: Bool { name != nil || service != nil || company != nil || address != nil }
    }

    /// What is known about a device.
    package struct Traits: Sendable, Hashable {
        package var address: BluetoothAddress?
        package var name: String?
        package var services: [BluetoothUUID] = []
        package var companies: [UInt16] = []
        /// Texts of 2A24 and 2A26; `nil` when they weren't read.
        package var model, firmware: String?

        package init() {}

        package init(_ data: AdvertisedData) {
            address = data.address
            name = data.name
            services = data.services + data.serviceData.keys
            companies = Array(data.manufacturerData.keys)
        }
    }

    package enum Match: Sendable, Hashable {
        case no
        /// If the texts of these characteristics fit.
        case ifRead([BluetoothUUID])
        case yes
        /// It must never be connected.
        case never
    }

    /// Says whether a device is one of this recipe. It never writes, and what a device says of itself may be a lie.
    package func match(_ traits: Traits) -> Match {
        if never.contains(where: { $0.match(traits) == .yes }) { return .never }
        let matches = recognition.map { $0.match(traits) }
        if matches.contains(.yes) { return .yes }
        return matches.first { $0 != .no } ?? .no
    }
}

extension Recipe.Recognition {
    fileprivate func match(_ traits: Recipe.Traits) -> Recipe.Match {
        if let name {
            guard let own = traits.name, Self.fits(name, text: own) else { return .no }
        }
        if let address {
            guard let own = traits.address, own.description.hasPrefix(address) else { return .no }
        }
        if let service, !traits.services.contains(service) { return .no }
        if let company, !traits.companies.contains(company) { return .no }
        var unread: [BluetoothUUID] = []
        for (wanted, text, uuid) in [(model, traits.model, 0x2A24), (firmware, traits.firmware, UInt16(0x2A26))] {
            guard let wanted else { continue }
            guard let text else {
                unread.append(BluetoothUUID(uuid))
                continue
            }
            if !Self.fits(wanted, text: text) { return .no }
        }
        return unread.isEmpty ? .yes : .ifRead(unread)
    }

    /// Whether a text fits a pattern with `*` and `?`.
    static func fits(_ pattern: String, text: String) -> Bool {
        let (pattern, text) = (Array(pattern.utf8), Array(text.utf8.prefix(256)))
        var (place, next) = (0, 0)
        // Where the last `*` is, and the text behind what it stands for.
        var star: (place: Int, next: Int)?
        while next < text.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                star = (place, next)
                place += 1
            } else if place < pattern.count, pattern[place] == text[next] || pattern[place] == UInt8(ascii: "?") {
                (place, next) = (place + 1, next + 1)
            } else if let last = star {
                star = (last.place, last.next + 1)
                (place, next) = (last.place + 1, last.next + 1)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}

/// A characteristic of a recipe, perhaps in one service alone.
package struct RecipeCharacteristic: Sendable, Hashable, CustomStringConvertible {
    package var service: BluetoothUUID?
    package var uuid: BluetoothUUID

    package init(_ uuid: BluetoothUUID, in service: BluetoothUUID? = nil) {
        self.uuid = uuid
        self.service = service
    }

    /// Whether a recipe that names `other`, perhaps without a service, means this characteristic.
    package func isOne(of other: RecipeCharacteristic) -> Bool {
        uuid == other.uuid && (other.service == nil || service == other.service)
    }

    /// The UUID, behind that of the service and a `/`.
    package var description: String { service.map { "\($0)/\(uuid)" } ?? "\(uuid)" }
}

extension Recipe.Piece {
    package var isSecret: Bool { self == .secret }

    /// The number of its bytes.
    fileprivate func size(secret: [UInt8]) -> Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .any: 1
        case .number(_, let bits, _, _): bits / 8
        case .check(let check, _, _): check.size
        case .nonce(let count): count
        case .secret: secret.count
        }
    }
}

/// What computed bytes need.
struct RequestContext {
    var index = 0
    var counter = 0
    var nonce: [UInt8] = []
    var secret: [UInt8] = []
    /// Seconds since 1970, UTC, and the local time zone's distance from it.
    var unixTime: Int64 = 0
    var timeZone = 0
    /// Seconds since 1970, UTC.
    var since: Int64 = 0
    /// How many intervals ago that was.
    var back: Int64 = 0
}

extension [Recipe.Piece] {
    /// Returns the bytes; `nil` stands for any byte.
    func bytes(_ context: RequestContext) -> [UInt8?] {
        let length = reduce(0) { $0 + $1.size(secret: context.secret) }
        let day = (context.unixTime + Int64(context.timeZone)) % 86_400
        var bytes: [UInt8?] = []
        for piece in self {
            switch piece {
            case .bytes(let own): bytes += own.map { $0 }
            case .any: bytes.append(nil)
            case .nonce(let count): bytes += (0..<count).map { $0 < context.nonce.count ? context.nonce[$0] : 0 }
            case .secret: bytes += context.secret.map { $0 }
            case .check(let check, let from, let endian):
                bytes += check.bytes(of: bytes.dropFirst(from).map { $0 ?? 0 }, endian: endian).map { $0 }
            case .number(let number, let bits, let endian, let add):
                let value: Int64 =
                    switch number {
                    case .length: Int64(length)
                    case .secretLength: Int64(context.secret.count)
                    case .index: Int64(context.index)
                    case .counter: Int64(context.counter)
                    case .unixTime: context.unixTime
                    case .since: context.since
                    case .back: context.back
                    case .hour: day / 3600
                    case .minute: day / 60 % 60
                    case .second: day % 60
                    }
                let shifted = UInt64(bitPattern: value &+ Int64(add))
                let own = (0..<bits / 8).map { UInt8(truncatingIfNeeded: shifted >> UInt64($0 * 8)) }
                bytes += (endian == .little ? own : own.reversed()).map { $0 }
            }
        }
        return bytes
    }

    /// Whether bytes are this request. It checks all but what only a conversation knows, such as a time.
    package func fits(_ request: [UInt8], secret: [UInt8]) -> Bool {
        guard request.count == reduce(0, { $0 + $1.size(secret: secret) }) else { return false }
        var place = 0
        return allSatisfy { piece in
            let part = request[place..<(place + piece.size(secret: secret))]
            defer { place = part.endIndex }
            return switch piece {
            case .bytes(let own): part.elementsEqual(own)
            case .check(let check, let from, let endian):
                part.elementsEqual(check.bytes(of: request[..<place].dropFirst(from), endian: endian))
            case .secret: part.elementsEqual(secret)
            case .any, .number, .nonce: true
            }
        }
    }

    /// Returns a request with another secret.
    func replacing(_ secret: [UInt8], with other: [UInt8], in request: [UInt8]) -> [UInt8] {
        let count = reduce(0) { $0 + $1.size(secret: other) }
        var place = 0
        var bytes: [UInt8] = []
        for piece in self {
            let part = request[place..<Swift.min(request.count, place + piece.size(secret: secret))]
            place = part.endIndex
            switch piece {
            case .secret: bytes += other
            case .check(let check, let from, let endian):
                bytes += check.bytes(of: bytes.dropFirst(from), endian: endian)
            case .number(let number, let bits, let endian, let add) where number == .length || number == .secretLength:
                let value = UInt64(bitPattern: Int64((number == .length ? count : other.count) + add))
                let own = (0..<bits / 8).map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
                bytes += endian == .little ? own : own.reversed()
            case .bytes, .any, .number, .nonce: bytes += part
            }
        }
        return bytes
    }

    /// What a request is, for users: hex digits, and words in angle brackets for bytes that only a conversation knows.
    package var summary: String {
        var known: [UInt8]? = []
        var text = ""
        for piece in self {
            var bytes: [UInt8]?
            switch piece {
            case .bytes(let own): bytes = own
            case .check(let check, let from, let endian):
                bytes = known.map { check.bytes(of: $0.dropFirst(from), endian: endian) }
            case .any, .number, .nonce, .secret: break
            }
            if let bytes {
                known? += bytes
                text += String(hex: bytes)
            } else {
                known = nil
                text += piece.word
            }
        }
        return text
    }
}

extension Recipe.Piece {
    fileprivate var word: String {
        switch self {
        case .bytes(let bytes): String(hex: bytes)
        case .any: ".."
        case .number(let number, _, _, _): "<\(number.rawValue)>"
        case .check(let check, _, _): "<\(check.rawValue)>"
        case .nonce: "<nonce>"
        case .secret: "<secret>"
        }
    }
}
