/// What became of each attempt, and how each device stands: bounded, and kept beside the readings.
package protocol Ledger: Store {
    /// Takes readings, a heartbeat, and what the ledger is to hold from now on, all or none, in one commit.
    func append(
        _ readings: [Reading], _ heartbeat: Heartbeat?, _ changes: LedgerChanges, durable: Bool
    ) throws -> [StoredReading]

    /// How the devices stood when the ledger was written last, and the last entry of each; `nil` for what concerned
    /// all devices.
    func lastKnown() throws -> (standings: [StoredDeviceStatus], entries: [LedgerEntry])

    /// The adapters as they were when the ledger was written last.
    func lastAdapters() throws -> [StoredKeeperStatus.Adapter]

    /// The sinks of all runs as they were when the ledger was written last.
    func lastSinks() throws -> [SinkStanding]
}

extension Ledger {
    package func lastAdapters() throws -> [StoredKeeperStatus.Adapter] { [] }
    package func lastSinks() throws -> [SinkStanding] { [] }
}

/// What the ledger is to hold in place of what it holds of the same entries and devices.
package struct LedgerChanges: Sendable, Hashable {
    package var entries: [LedgerEntry]
    package var standings: [StoredDeviceStatus]
    package var keeper: StoredKeeperStatus?
    package var sinks: [SinkStanding]
    /// The machine's clocks when the readings of the same commit came; `nil`: the time of day is right.
    package var clocks: ClockReading?

    package init(
        entries: [LedgerEntry] = [], standings: [StoredDeviceStatus] = [], keeper: StoredKeeperStatus? = nil,
        sinks: [SinkStanding] = []
    ) {
        self.entries = entries
        self.standings = standings
        self.keeper = keeper
        self.sinks = sinks
    }

    package var isEmpty: Bool { entries.isEmpty && standings.isEmpty && keeper == nil && sinks.isEmpty }

    /// How many entries a ledger has of a device.
    package static let mostEntries: Int64 = 100
}
