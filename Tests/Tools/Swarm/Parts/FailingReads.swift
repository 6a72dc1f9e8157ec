import Blekeep
import BlekeepSimulation
import RunLoop

/// Checks that the poller reads a device less often when all its reads fail. Pure.
struct FailingReads: Sendable {
    private struct Row: Sendable {
        /// The number of consecutive attempts in which all reads failed.
        var rounds = 0
        var last: Uptime
        var isExcused = false
    }

    private var rows: [BluetoothAddress: Row] = [:]

    var isEmpty: Bool { rows.isEmpty }

    /// Reads within this time belong to one attempt.
    private static let together: Duration = .seconds(5)
    /// After this many attempts, the shortest pause.
    private static let most = 20
    private static let pause: Duration = .seconds(60)

    /// - Returns: the violation of a read.
    mutating func began(_ device: BluetoothAddress, at now: Uptime) -> String? {
        guard let row = rows[device], now - row.last > Self.together else { return nil }
        rows[device]?.rounds += 1
        rows[device]?.isExcused = false
        guard row.rounds >= Self.most, !row.isExcused, now - row.last < Self.pause else { return nil }
        return "\(device) is read again after \(now - row.last), \(row.rounds) times in vain"
    }

    mutating func failed(_ device: BluetoothAddress, at now: Uptime) {
        rows[device, default: Row(last: now)].last = now
    }

    mutating func succeeded(_ device: BluetoothAddress) { rows[device] = nil }

    /// Takes an advertisement of the device, after which the poller may try.
    mutating func excuse(_ device: BluetoothAddress) { rows[device]?.isExcused = true }

    /// Forgets all failures, as after a sleep.
    mutating func excuseAll() { for device in rows.keys { rows[device]?.isExcused = true } }
}
