import Blekeep
internal import GRDB

/// The ledger of a running or ended poller.
extension HistoryReader {
    /// The last entries of a device together with what concerned every device, the oldest first; none before the
    /// first poll of a version that keeps a ledger.
    package func attempts(of device: BluetoothAddress, limit: Int) throws -> [LedgerEntry] {
        try ledger { try LedgerRows.entries(of: device, limit: max(0, limit), in: $0) } ?? []
    }

    /// Returns the last status of a device; `nil` if it was never polled.
    package func status(of device: BluetoothAddress) throws -> StoredDeviceStatus? {
        try ledger { try LedgerRows.statuses(device, in: $0).first } ?? nil
    }

    /// Returns the last status of the keeper and its devices; `nil` before the first run.
    package func lastRun() throws -> (keeper: StoredKeeperStatus, devices: [StoredDeviceStatus])? {
        try ledger { database in
            try LedgerRows.keeper(in: database).map { ($0, try LedgerRows.currentStatuses(in: database)) }
        } ?? nil
    }

    /// The sinks of the last run.
    package func sinks() throws -> [SinkStatus] {
        try ledger { try LedgerRows.sinks(ofLastRun: true, in: $0) } ?? []
    }

    private func ledger<Result>(_ body: (Database) throws -> Result) throws -> Result? {
        try database { try $0.tableExists("standings") ? try body($0) : nil }
    }
}
