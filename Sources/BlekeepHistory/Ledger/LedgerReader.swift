import BlekeepRecords
internal import GRDB

/// The ledger of a running or ended poller.
extension HistoryReader {
    /// The last entries of a device together with what concerned every device, the oldest first.
    package func attempts(of device: DeviceID, limit: Int) throws -> [LedgerEntry] {
        try database { try LedgerRows.entries(of: device, limit: max(0, limit), in: $0) }
    }

    /// Returns the newest failures that concern some devices and lie in a time, at least in part, the oldest first.
    package func failures(of devices: [DeviceID], in time: ClosedRange<Int64>, limit: Int) throws -> [LedgerEntry] {
        try database { try LedgerRows.failures(of: devices, in: time, limit: max(0, limit), $0) }
    }

    /// Returns the last status of a device; `nil` if it was never polled.
    package func status(of device: DeviceID) throws -> DeviceStatus? {
        try database { try LedgerRows.statuses(device, in: $0).first }
    }

    /// Returns the last status of the poller and its devices; `nil` before the first run.
    package func lastRun() throws -> (poller: GatewayStatus, devices: [DeviceStatus])? {
        try database { database in
            try LedgerRows.poller(in: database).map { ($0, try LedgerRows.currentStatuses(in: database)) }
        }
    }

    /// The rules of the last run, with each device.
    package func rules() throws -> [RuleStatus] {
        try database { try LedgerRows.rules(ofLastRun: true, in: $0) }
    }

    /// Returns the newest firings of rules with some devices that lie in a time, at least in part, the oldest first.
    package func firings(of devices: [DeviceID], in time: ClosedRange<Int64>, limit: Int) throws -> [RuleFiring] {
        try database { try LedgerRows.firings(of: devices, in: time, limit: max(0, limit), $0) }
    }

    /// The sinks of the last run.
    package func sinks() throws -> [SinkStatus] {
        try database { try LedgerRows.sinks(ofLastRun: true, in: $0) }
    }
}

/// A time in which a rule fired for a device.
package struct RuleFiring: Sendable, Hashable {
    package let rule: String
    package let device: DeviceID
    /// Milliseconds since 1970.
    package let fired: Int64
    /// `nil` while it fires, and when the rule has left the configuration meanwhile.
    package let ended: Int64?
    package let isOver: Bool
    /// Why it fired, and why it ended.
    package let cause, ending: String?
}
