import Blekeep
import DBus
import RunLoop

/// S15 patient: the poller starts nothing on a connection that it ends, until the connection has ended, or for at least
/// half a second.
struct EndingLinks: Sendable {
    private var since: [BluetoothAddress: Uptime] = [:]

    private static let least: Duration = .milliseconds(400)

    func isEnding(_ device: BluetoothAddress) -> Bool { since[device] != nil }

    /// - Returns: the violation of a call.
    func flaw(of member: MemberName, on path: ObjectPath, at now: Uptime) -> String? {
        guard let device = BluetoothAddress(device: path), let since = since[device], now - since < Self.least
        else { return nil }
        return "\(member) on \(path), whose link is being ended"
    }

    mutating func began(_ path: ObjectPath, at now: Uptime) {
        if let device = BluetoothAddress(device: path) { since[device] = now }
    }

    mutating func over(_ path: ObjectPath) {
        if let device = BluetoothAddress(device: path) { since[device] = nil }
    }

    mutating func forget() { since = [:] }
}
