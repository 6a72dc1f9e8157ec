/// The status of a device, as it is stored, sent to sinks and D-Bus, and shown. Times are in milliseconds since 1970.
package struct DeviceStatus: Sendable, Hashable {
    /// The connection, and what blekeep does with it.
    package enum Link: String, Sendable, CaseIterable {
        /// Not connected, and no connection is needed now.
        case released
        /// Not connected. blekeep takes the device's advertisements, or hears the device while another gateway reads it.
        case listening
        /// BlueZ doesn't know the device yet.
        case searching
        /// blekeep is connecting. A connection that is up is its own.
        case connecting
        /// blekeep made the connection: it waits for the services, reads, keeps it without work, or ends it.
        case resolving, reading, held, closing
        /// Another program made the connection.
        case foreign

        package var isConnected: Bool {
            switch self {
            case .released, .listening, .searching, .connecting: false
            case .resolving, .reading, .held, .closing, .foreign: true
            }
        }

        /// Whether blekeep made the connection, or is making it.
        package var isOurs: Bool {
            switch self {
            case .released, .listening, .searching, .foreign: false
            case .connecting, .resolving, .reading, .held, .closing: true
            }
        }

        /// Whether there is no connection, and no attempt to make one.
        package var isIdle: Bool {
            switch self {
            case .released, .listening, .searching: true
            case .connecting, .resolving, .reading, .held, .closing, .foreign: false
            }
        }
    }

    /// Why the time between ticks is what it is.
    package enum IntervalReason: String, Sendable, CaseIterable {
        /// The configuration says so.
        case configured
        /// The machine saves power; the gateway's status has the reason.
        case power
        /// There were no new values recently.
        case unchanged
        case paused
        /// Another gateway reads the device.
        case standby
    }

    package var id: DeviceID
    package var address: BluetoothAddress
    /// The user's name for the device.
    package var name: String
    package var condition = DeviceCondition.new
    /// When the condition's state began.
    package var since: Int64
    package var lastValue: Int64?
    /// The number of the device's last entry in the log of attempts.
    package var entries: Int64 = 0
    /// The number of attempts in that entry, and when the last of them ended.
    package var lastCount: Int64 = 0
    package var lastEnd: Int64 = 0

    /// When the next attempt or tick is due.
    package var next: Int64?
    /// The time between ticks; `nil` when the device is paused.
    package var interval: Duration?
    package var intervalReason = IntervalReason.configured
    package var link = Link.released
    package var rssi: Int?
    /// The name of the adapter that it is read with, on a machine with several.
    package var adapter: String?
    /// Whether BlueZ has keys for the device.
    package var isBonded = false
    /// The values that its throttles dropped since the start.
    package var dropped = DroppedValues()
    /// `nil` for a device that no user paused.
    package var pause: UserPause?
    /// The names of the rules that fire.
    package var firing: [String] = []
    /// What its advertisements were recognized by; `nil` before blekeep listened to them.
    package var identity: BroadcastIdentity?

    /// - Parameter id: `nil` for that of a device without an ID of its own.
    package init(
        id: DeviceID? = nil, address: BluetoothAddress, name: String, condition: DeviceCondition = .new, since: Int64
    ) {
        self.id = id ?? DeviceID(address)
        self.address = address
        self.name = name
        self.condition = condition
        self.since = since
    }

    package init(_ device: DeviceConfiguration, since: Int64) {
        self.init(id: device.id, address: device.address, name: device.name, since: since)
    }

    /// Whether another gateway reads the device.
    package var isStandingBy: Bool { intervalReason == .standby }

    package var state: DeviceCondition.State { condition.state }
    /// The last failure; `nil` when everything was read.
    package var failure: ReadingFailure? { condition.failure }

    package mutating func record(_ condition: DeviceCondition, at time: Int64) {
        if state != condition.state { since = time }
        self.condition = condition
        if state == .good { lastValue = time }
    }
}

/// The number of values that a device sent by itself, and of those that a throttle dropped.
package struct DroppedValues: Sendable, Hashable {
    package var count = 0
    package var total = 0

    package init() {}
}

/// A field of a device's status. Its one name gives the column of the history, the key in JSON, and the property on D-Bus.
package struct StatusField: Sendable {
    package enum Kind: Sendable, Hashable {
        case text
        case choice([String])
        case count
        case flag
        /// A strength in dBm.
        case signal
        /// Milliseconds since 1970.
        case time
        case duration
    }

    package enum Value: Sendable, Hashable {
        case text(String)
        case number(Int64)
        case flag(Bool)

        package var text: String? { if case .text(let text) = self { text } else { nil } }
        package var number: Int64? { if case .number(let number) = self { number } else { nil } }
    }

    /// In lower case, with `_` between words.
    package let name: String
    package let kind: Kind
    /// A phrase for the documentation; empty for a name that says all.
    package let help: String
    /// Whether each status has a value.
    package let isRequired: Bool
    /// Whether users see it. The others are for the next run of the poller.
    package let isShown: Bool
    package let value: @Sendable (DeviceStatus) -> Value?

    /// The name in the history.
    package var column: String { kind == .time || kind == .duration ? "\(name)_ms" : name }

    /// The name on D-Bus.
    package var member: String {
        let words = name.split(separator: "_").map {
            $0 == "rssi" ? "RSSI" : "\($0.prefix(1).uppercased())\($0.dropFirst())"
        }
        return words.joined()
    }

    fileprivate static func required(
        _ name: String, kind: Kind, help: String = "", isShown: Bool = true,
        value: @escaping @Sendable (DeviceStatus) -> Value
    ) -> StatusField {
        StatusField(name: name, kind: kind, help: help, isRequired: true, isShown: isShown, value: value)
    }

    fileprivate static func optional(
        _ name: String, kind: Kind, help: String = "", isShown: Bool = true,
        value: @escaping @Sendable (DeviceStatus) -> Value?
    ) -> StatusField {
        StatusField(name: name, kind: kind, help: help, isRequired: false, isShown: isShown, value: value)
    }
}

extension DeviceStatus {
    /// All but what says which device it is: ID, address and name.
    package static let fields: [StatusField] = [
        .required("state", kind: .choice(DeviceCondition.State.allCases.map(\.rawValue))) { .text($0.state.rawValue) },
        .required("since", kind: .time, help: "the start of the state") { .number($0.since) },
        .optional("last_value", kind: .time, help: "when the last value arrived") { $0.lastValue.map { .number($0) } },
        .required("good_in_a_row", kind: .count, help: "consecutive good ticks") { .number($0.condition.goodInARow) },
        .required("failed_in_a_row", kind: .count, help: "consecutive failed attempts") {
            .number($0.condition.failedInARow)
        },
        .optional(
            "phase", kind: .choice(Attempt.Phase.allCases.map(\.rawValue)), help: "what the failed attempts tried"
        ) {
            $0.condition.trouble.map { .text($0.phase.rawValue) }
        },
        .optional("code", kind: .text, help: "why the last attempt failed") {
            $0.failure.map { .text($0.code.rawValue) }
        },
        .optional("message", kind: .text, help: "a sentence for the code") { $0.failure.map { .text($0.message) } },
        .optional("remedy", kind: .text, help: "what blekeep does about it") {
            $0.condition.trouble?.remedy.map { .text($0.rawValue) }
        },
        .optional("next", kind: .time, help: "the next tick or attempt") { $0.next.map { .number($0) } },
        .optional("interval", kind: .duration, help: "the time between ticks") {
            $0.interval.map { .number($0.wholeMilliseconds) }
        },
        .required("interval_reason", kind: .choice(IntervalReason.allCases.map(\.rawValue))) {
            .text($0.intervalReason.rawValue)
        },
        .required("link", kind: .choice(Link.allCases.map(\.rawValue)), help: "the connection") {
            .text($0.link.rawValue)
        },
        .optional("rssi", kind: .signal, help: "the signal strength") { $0.rssi.map { .number(Int64($0)) } },
        .optional("adapter", kind: .text, help: "the adapter that it is read with, of several") {
            $0.adapter.map { .text($0) }
        },
        .required("bonded", kind: .flag, help: "whether BlueZ has keys for it") { .flag($0.isBonded) },
        .required("dropped", kind: .count, help: "values that the throttle dropped") {
            .number(Int64($0.dropped.count))
        },
        .required("dropped_of", kind: .count, help: "values that the device sent by itself") {
            .number(Int64($0.dropped.total))
        },
        .required("paused", kind: .flag, help: "whether a user paused it") { .flag($0.pause != nil) },
        .optional("paused_until", kind: .time, help: "the end of a pause that ends by itself") {
            if case .until(let end)? = $0.pause { .number(end) } else { nil }
        },
        .optional("firing", kind: .text, help: "the rules that fire, with commas between them") {
            $0.firing.isEmpty ? nil : .text($0.firing.joined(separator: ","))
        },
        .optional("identity", kind: .text, help: "what advertisements were recognized by", isShown: false) {
            $0.identity.map { .text($0.description) }
        },
        .required("entries", kind: .count, help: "the number of the last entry in the log of attempts", isShown: false)
        {
            .number($0.entries)
        },
        .required("last_count", kind: .count, help: "the number of attempts in that entry", isShown: false) {
            .number($0.lastCount)
        },
        .required("last_end", kind: .time, help: "when the last of these ended", isShown: false) {
            .number($0.lastEnd)
        },
    ]

    /// The status with fields, such as those of a row. What is missing or damaged has the value that a new device has.
    ///
    /// - Parameter value: returns the value of a field; `nil` without one.
    /// - Returns: `nil` without a state and its time.
    package init?(
        id: DeviceID, address: BluetoothAddress, name: String, fields value: (_ name: String) -> StatusField.Value?
    ) {
        func text<Choice: RawRepresentable<String>>(_ name: String) -> Choice? {
            value(name)?.text.flatMap(Choice.init)
        }
        func count(_ name: String) -> Int? { value(name)?.number.flatMap { Int(exactly: $0) } }
        guard let state: DeviceCondition.State = text("state"), let since = value("since")?.number else { return nil }
        let failure = value("code")?.text.map {
            ReadingFailure(code: OpenEnum(rawValue: $0), message: value("message")?.text ?? "")
        }
        let condition = DeviceCondition(
            state, inARow: value(state == .good ? "good_in_a_row" : "failed_in_a_row")?.number ?? 0,
            phase: text("phase") ?? .read, failure: failure, remedy: text("remedy"))
        self.init(id: id, address: address, name: name, condition: condition, since: since)
        lastValue = value("last_value")?.number
        next = value("next")?.number
        interval = value("interval")?.number.map { .milliseconds($0) }
        intervalReason = text("interval_reason") ?? .configured
        link = text("link") ?? .released
        rssi = count("rssi")
        adapter = value("adapter")?.text
        isBonded = value("bonded") == .flag(true)
        dropped.count = count("dropped") ?? 0
        dropped.total = count("dropped_of") ?? 0
        if value("paused") == .flag(true) { pause = value("paused_until")?.number.map { .until($0) } ?? .untilResumed }
        firing = value("firing")?.text.map { $0.split(separator: ",").map(String.init) } ?? []
        identity = value("identity")?.text.flatMap { BroadcastIdentity($0) }
        entries = value("entries")?.number ?? 0
        lastCount = value("last_count")?.number ?? 0
        lastEnd = value("last_end")?.number ?? 0
    }
}
