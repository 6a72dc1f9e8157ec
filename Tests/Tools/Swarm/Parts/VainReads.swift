import Blekeep
import BlekeepSimulation
import RunLoop

/// How often devices are read that give no value: less and less often, unless something has happened. Pure: told of
/// each read, it says what is wrong with it.
struct VainReads: Sendable {
    private struct Row: Sendable {
        /// How many times in a row all that was read failed.
        var rounds = 0
        var last: Uptime
        var isExcused = false
    }

    private var rows: [BluetoothAddress: Row] = [:]

    var isEmpty: Bool { rows.isEmpty }

    /// Reads that follow each other so closely belong together.
    private static let together: Duration = .seconds(5)
    /// After so many, a device is left alone for so long at least.
    private static let most = 20
    private static let pause: Duration = .seconds(60)

    /// - Returns: what is wrong with it.
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

    /// It was heard: there is reason to try.
    mutating func excuse(_ device: BluetoothAddress) { rows[device]?.isExcused = true }

    /// Everything is tried anew, as after a sleep.
    mutating func excuseAll() { for device in rows.keys { rows[device]?.isExcused = true } }
}
