import DBus
import RunLoop

/// What an earlier run of blekeep left: connections, adapters that are off, and the conditions of the devices.
package struct Inheritance: Sendable {
    /// What it left of a device.
    package struct Device: Sendable, Equatable {
        /// The connection, if the machine didn't restart since.
        package var claim: InheritedLink?
        package var condition: DeviceCondition?
        /// The pause that a user asked for.
        package var pause: PauseLength?
        /// What its advertisements were recognized by.
        package var identity: BroadcastIdentity?

        package init() {}
    }

    private var devices: [DeviceNumber: Device] = [:]
    /// The devices that aren't configured any more, and to which that run left connections or attempts.
    package var strays: [BluetoothAddress] = []
    /// Adapters that it was about to turn on again.
    package var switchedOff: Set<ObjectPath> = []

    /// The longest time after the last heartbeat for which blekeep inherits connections. BlueZ doesn't report which program
    /// made a connection. Later, it may be another program's: blekeep then uses it, but doesn't end it.
    static let longestClaim: Duration = .seconds(300)

    package init() {}

    /// What is left of a device. What is done with several is done in the order of their list.
    package subscript(number: DeviceNumber) -> Device {
        get { devices[number] ?? Device() }
        set { devices[number] = newValue }
    }

    package init(
        _ ledger: any Ledger, _ known: [DeviceStatus], of configuration: PollConfiguration, at clocks: ClockReading
    ) throws {
        let last = try ledger.lastHeartbeat()?.clocks
        let devices = Dictionary(
            uniqueKeysWithValues: configuration.devices.enumerated().map { (DeviceNumber($0.offset), $0.element) })
        // A clock that isn't set yet after the machine's start would make a pause last for years.
        self.init(known, of: devices, from: max(clocks.time, last?.time ?? .min))
        guard !clocks.boot.isEmpty, let last, last.boot == clocks.boot else { return }
        let cycling = try ledger.lastAdapters().filter { $0.trouble == .cycling }
        switchedOff = Set(cycling.compactMap { Bluez.root.child($0.name) })
        let left = Self.claims(known, of: devices, after: clocks.sinceBoot - last.sinceBoot)
        strays = left.strays
        for (number, claim) in left.claims { self[number].claim = claim }
    }

    /// Takes what doesn't depend on when the last run ended: all but connections.
    ///
    /// - Parameters:
    ///   - known: the last statuses of all devices.
    ///   - time: pauses that last beyond this time hold, in milliseconds since 1970.
    package init(_ known: [DeviceStatus], of devices: [DeviceNumber: DeviceConfiguration], from time: Int64) {
        for (number, device) in devices {
            guard let status = known.first(where: { $0.id == device.id }) else { continue }
            if let length = status.pause?.length(from: time), length != .time(.zero) { self[number].pause = length }
            // Another sensor with this ID, which this one replaces, had a state of its own.
            guard status.address == device.address else { continue }
            self[number].condition = status.condition
            self[number].identity = status.identity
        }
    }

    /// Returns the connections that the last run left, and the devices of such that aren't configured any more.
    ///
    /// - Parameter silence: the time since its last heartbeat.
    static func claims(
        _ known: [DeviceStatus], of devices: [DeviceNumber: DeviceConfiguration], after silence: Duration
    ) -> (claims: [DeviceNumber: InheritedLink], strays: [BluetoothAddress]) {
        guard silence <= longestClaim else { return ([:], []) }
        // The ledger keeps a status for each ID that a device ever had. Only the newest one is of the last run.
        func time(_ status: DeviceStatus) -> Int64 { max(status.lastEnd, status.since) }
        let statuses = Dictionary(known.map { ($0.address, $0) }) { time($1) > time($0) ? $1 : $0 }
        let claims: [DeviceNumber: InheritedLink] = devices.compactMapValues { device in
            guard let link = statuses[device.address]?.link, link.isOurs else { return nil }
            return link.isConnected ? .link : .attempt(until: .never)
        }
        let configured = Set(devices.values.map(\.address))
        let strays = statuses.values.filter { $0.link.isOurs && !configured.contains($0.address) }
        return (claims, strays.map(\.address).sorted())
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
        var rules: [RuleStatus] = []
        /// The last readings, for rules that measure over a time; the oldest first.
        var readings: [Reading] = []
    }

    struct Found: Sendable {
        var legacy: Legacy?
        /// The last heartbeat, if the gap was still to be read.
        var lastHeartbeat: Heartbeat?
    }

    private var unread: (configuration: PollConfiguration, start: ClockReading)?
    private var needsReadings = false
    /// The most readings that are read.
    private static let maxReadings = 20_000
    /// Whether the last heartbeat is still to be read.
    var isGapUnread = false

    /// Requests the ledger.
    ///
    /// - Parameters:
    ///   - start: when this run began.
    ///   - needsReadings: whether rules measure over a time.
    mutating func expectLegacy(
        for configuration: PollConfiguration, at start: ClockReading, needsReadings: Bool = false
    ) {
        unread = (configuration, start)
        self.needsReadings = needsReadings
    }

    /// Whether something is still to be read.
    var isUnread: Bool { unread != nil || isGapUnread }

    /// Reads what is still to be read.
    func read(in store: any Store) throws -> Found {
        var found = Found()
        if let (configuration, start) = unread, let ledger = store as? any Ledger {
            let known = try ledger.lastKnown()
            let inheritance = try Inheritance(ledger, known.statuses, of: configuration, at: start)
            var legacy = Legacy(inheritance: inheritance, statuses: known.statuses, entries: known.entries)
            legacy.rules = try ledger.lastRules()
            if needsReadings, let log = store as? any ReadingLog {
                let newest = try log.bounds().newest
                legacy.readings = try log.readings(
                    after: max(0, newest - Int64(Self.maxReadings)), limit: Self.maxReadings
                ).map(\.reading)
            }
            found.legacy = legacy
        }
        if isGapUnread { found.lastHeartbeat = try store.lastHeartbeat() }
        return found
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
