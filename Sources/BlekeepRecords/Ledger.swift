/// A store that also keeps a bounded log of attempts, and the status of each device.
package protocol Ledger: Store {
    /// Writes readings, a heartbeat and changes of the ledger in a single commit.
    func append(
        _ readings: [Reading], _ heartbeat: Heartbeat?, _ changes: LedgerChanges, durable: Bool
    ) throws -> [StoredReading]

    /// Returns the last status and the last entry of each device. An entry without a device concerns all devices.
    func lastKnown() throws -> (statuses: [DeviceStatus], entries: [LedgerEntry])

    func lastAdapters() throws -> [GatewayStatus.Adapter]

    /// Returns the last status of the sinks of all runs.
    func lastSinks() throws -> [SinkStatus]

    /// Returns the last status of the rules of all runs.
    func lastRules() throws -> [RuleStatus]
}

extension Ledger {
    package func append(_ readings: [Reading], durable: Bool) throws -> [StoredReading] {
        try append(readings, nil, LedgerChanges(), durable: durable)
    }

    package func append(_ readings: [Reading], _ heartbeat: Heartbeat, durable: Bool) throws -> [StoredReading] {
        try append(readings, heartbeat, LedgerChanges(), durable: durable)
    }

    package func lastAdapters() throws -> [GatewayStatus.Adapter] { [] }
    package func lastSinks() throws -> [SinkStatus] { [] }
    package func lastRules() throws -> [RuleStatus] { [] }
}

/// Changes of the ledger. They replace the same entries and the status of the same devices.
package struct LedgerChanges: Sendable, Hashable {
    package var entries: [LedgerEntry]
    package var statuses: [DeviceStatus]
    package var poller: GatewayStatus?
    package var sinks: [SinkStatus]
    package var rules: [RuleStatus] = []
    /// The devices and the names of the sinks that have left the configuration during this run.
    package var leftDevices: Set<DeviceID> = []
    package var leftSinks: Set<String> = []
    /// The pairs of a rule and a device that have left it.
    package var leftRules: Set<RuleKey> = []
    /// Whether the run ends by itself, after some ticks. Then the ledger keeps what it says of the last run that didn't.
    package var isOneOff = false
    /// The machine's clocks when the readings of the commit came; `nil` when the time of day is right.
    package var clocks: ClockReading?

    package init(
        entries: [LedgerEntry] = [], statuses: [DeviceStatus] = [], poller: GatewayStatus? = nil,
        sinks: [SinkStatus] = []
    ) {
        self.entries = entries
        self.statuses = statuses
        self.poller = poller
        self.sinks = sinks
    }

    package var isEmpty: Bool {
        entries.isEmpty && statuses.isEmpty && poller == nil && sinks.isEmpty && leftSinks.isEmpty
            && rules.isEmpty && leftRules.isEmpty
    }

    /// The number of entries that a ledger keeps for each device.
    package static let maxEntries: Int64 = 100
}
