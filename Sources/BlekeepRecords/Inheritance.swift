import DBus
import RunLoop

/// What an earlier run of blekeep left: connections, adapters that are off, and the conditions of the devices.
package struct Inheritance: Sendable {
    /// Connections of that run, if the machine didn't restart since.
    package var claims: [DeviceIndex: InheritedLink] = [:]
    /// Adapters that it was about to turn on again.
    package var switchedOff: Set<ObjectPath> = []
    /// The last condition of each device.
    package var conditions: [DeviceIndex: DeviceCondition] = [:]

    /// The pauses that a user asked for.
    package var pauses: [DeviceIndex: PauseLength] = [:]
    /// What the devices' advertisements were recognized by.
    package var identities: [DeviceIndex: BroadcastIdentity] = [:]

    /// The longest time after the last heartbeat for which blekeep inherits connections. BlueZ doesn't report which program
    /// made a connection. Later, it may be another program's: blekeep then uses it, but doesn't end it.
    static let longestClaim: Duration = .seconds(300)

    package init() {}

    /// Reads the ledger.
    package init(
        _ ledger: any Ledger, _ known: (statuses: [DeviceStatus], entries: [LedgerEntry]),
        of configuration: PollConfiguration, at clocks: ClockReading
    ) throws {
        conditions = Self.conditions(known.statuses, of: configuration)
        identities = Self.identities(known.statuses, of: configuration)
        let last = try ledger.lastHeartbeat()?.clocks
        // A clock that isn't set yet after the machine's start would make a pause last for years.
        pauses = Self.pauses(known.statuses, of: configuration, from: max(clocks.time, last?.time ?? .min))
        guard !clocks.boot.isEmpty, let last, last.boot == clocks.boot else { return }
        let cycling = try ledger.lastAdapters().filter { $0.trouble == .cycling }
        switchedOff = Set(cycling.compactMap { Bluez.root.child($0.name) })
        claims = Self.claims(known.statuses, of: configuration, after: clocks.sinceBoot - last.sinceBoot)
    }

    /// Returns the conditions of the devices in the last run.
    package static func conditions(
        _ known: [DeviceStatus], of configuration: PollConfiguration
    ) -> [DeviceIndex: DeviceCondition] {
        var conditions: [DeviceIndex: DeviceCondition] = [:]
        for (id, device) in configuration.devices.enumerated() {
            conditions[id] = known.first { $0.id == device.id }?.condition
        }
        return conditions
    }

    /// Returns what the devices' advertisements were recognized by.
    package static func identities(
        _ known: [DeviceStatus], of configuration: PollConfiguration
    ) -> [DeviceIndex: BroadcastIdentity] {
        var identities: [DeviceIndex: BroadcastIdentity] = [:]
        for (id, device) in configuration.devices.enumerated() {
            identities[id] = known.first { $0.id == device.id && $0.address == device.address }?.identity
        }
        return identities
    }

    /// Returns the pauses that last beyond a time, in milliseconds since 1970.
    package static func pauses(
        _ known: [DeviceStatus], of configuration: PollConfiguration, from time: Int64
    ) -> [DeviceIndex: PauseLength] {
        var pauses: [DeviceIndex: PauseLength] = [:]
        for (id, device) in configuration.devices.enumerated() {
            guard let pause = known.first(where: { $0.id == device.id })?.pause else { continue }
            let length = pause.length(from: time)
            if length != .time(.zero) { pauses[id] = length }
        }
        return pauses
    }

    /// Returns the connections that the last run left.
    ///
    /// - Parameter silence: the time since its last heartbeat.
    package static func claims(
        _ known: [DeviceStatus], of configuration: PollConfiguration, after silence: Duration
    ) -> [DeviceIndex: InheritedLink] {
        guard silence <= longestClaim else { return [:] }
        let links = Dictionary(known.map { ($0.address, $0.link) }, uniquingKeysWith: { first, _ in first })
        var claims: [DeviceIndex: InheritedLink] = [:]
        for (id, device) in configuration.devices.enumerated() {
            guard let link = links[device.address], link.isOurs else { continue }
            claims[id] = link.isConnected ? .link : .attempt(until: .never)
        }
        return claims
    }
}

/// A connection that blekeep made but can't currently observe.
///
/// It dates from before an outage of bluetoothd, or from the last run. blekeep must end its own connections, and no others.
package enum InheritedLink: Sendable, Hashable {
    /// A connection that was up.
    case link
    /// An attempt that was in progress, and that BlueZ continues alone. A connection before this time is blekeep's own.
    case attempt(until: Uptime)
}

/// What is still to be read of an earlier run: the ledger, and the gap since its last heartbeat. Each is read once, and
/// again later if reading fails.
package struct EarlierRun: Sendable {
    /// The content of the ledger.
    package struct Legacy: Sendable {
        package var inheritance = Inheritance()
        var statuses: [DeviceStatus] = []
        var entries: [LedgerEntry] = []
    }

    /// What was read.
    struct Found: Sendable {
        var legacy: Legacy?
        /// The last heartbeat; only if `isGapRead`.
        var lastHeartbeat: Heartbeat?
        var isGapRead = false
    }

    private var unread: (configuration: PollConfiguration, start: ClockReading)?
    private var isGapUnread = false

    /// Requests the ledger.
    ///
    /// - Parameter start: when this run began.
    mutating func expectLegacy(for configuration: PollConfiguration, at start: ClockReading) {
        unread = (configuration, start)
    }

    /// Requests the last heartbeat.
    mutating func expectGap() { isGapUnread = true }

    /// Whether something is still to be read.
    var isUnread: Bool { unread != nil || isGapUnread }

    /// Reads what is still to be read.
    func read(in store: any Store) throws -> Found {
        var found = Found()
        if let (configuration, start) = unread, let ledger = store as? any Ledger {
            let known = try ledger.lastKnown()
            let inheritance = try Inheritance(ledger, known, of: configuration, at: start)
            found.legacy = Legacy(inheritance: inheritance, statuses: known.statuses, entries: known.entries)
        }
        if isGapUnread {
            found.lastHeartbeat = try store.lastHeartbeat()
            found.isGapRead = true
        }
        return found
    }

    /// Takes what was read.
    mutating func took(_ found: Found) {
        if found.legacy != nil { unread = nil }
        if found.isGapRead { isGapUnread = false }
    }
}

extension Downtime {
    /// A line for the log; `nil` after an end by the user.
    var notice: String? {
        guard cause != .stopped else { return nil }
        let length = length.map(DurationText.seconds) ?? "some time"
        let doubt = isMeasuredByUnsetClock ? ", by a clock that isn't set" : ""
        return "nothing was read for \(length)\(doubt): \(cause.words)"
    }
}
