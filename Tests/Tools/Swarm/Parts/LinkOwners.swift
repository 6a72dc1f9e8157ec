import DBus
import RunLoop

/// S8 do-no-harm and S9 no-spoof: whose each link is, and since when it is up.
struct LinkOwners: Sendable {
    private var since: [ObjectPath: Uptime] = [:]
    /// The devices that the keeper has asked to connect.
    private var asked: Set<ObjectPath> = []
    /// Those of them whose attempt has not come to a link yet.
    private var open: Set<ObjectPath> = []
    /// The links of our devices that came up without us.
    private var foreign: Set<ObjectPath> = []

    /// News that is younger may cross a call.
    private static let grace: Duration = .seconds(1)
    /// An attempt of ours that ended badly may still come to a link for so long.
    private static let late: Duration = .seconds(30)

    func isAsked(_ path: ObjectPath) -> Bool { asked.contains(path) }

    func isOurs(_ path: ObjectPath) -> Bool { asked.contains(path) && !foreign.contains(path) }

    func isUp(_ path: ObjectPath) -> Bool { since[path] != nil }

    // MARK: Calls

    /// - Parameter isReallyUp: whether the device has a link, whatever signals say.
    /// - Returns: what is wrong with an attempt to connect.
    mutating func connects(_ path: ObjectPath, isReallyUp: Bool, at now: Uptime) -> String? {
        asked.insert(path)
        open.insert(path)
        guard let since = since[path], now - since > Self.grace, isReallyUp else { return nil }
        return "\(path) is connected and is to be connected again"
    }

    /// - Parameter isServiceThere: of a bluetoothd that has just died no link is left to end.
    /// - Returns: what is wrong with ending a link.
    func disconnects(_ path: ObjectPath, isServiceThere: Bool, at now: Uptime) -> [String] {
        var flaws: [String] = []
        if !asked.contains(path), isServiceThere { flaws.append("somebody else's link to \(path) is ended") }
        if foreign.contains(path), let since = since[path], now - since > Self.grace {
            flaws.append("a link to \(path) that somebody else made is ended")
        }
        return flaws
    }

    // MARK: Signals

    /// - Parameters:
    ///   - isTried: whether an attempt of ours is in progress.
    ///   - last: when ours began last.
    mutating func up(_ path: ObjectPath, isTried: Bool, last: Uptime?, at now: Uptime) {
        let isLate = open.remove(path) != nil && last.map { now - $0 < Self.late } ?? false
        if since[path] == nil, !isTried, !isLate { foreign.insert(path) }
        since[path] = now
    }

    mutating func down(_ path: ObjectPath) {
        since[path] = nil
        foreign.remove(path)
    }

    mutating func forget() { self = LinkOwners() }
}
