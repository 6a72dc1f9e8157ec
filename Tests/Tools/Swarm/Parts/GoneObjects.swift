import DBus
import RunLoop

/// S4 no-stale: the poller makes no call to an object or a bluetoothd that has been gone for more than a second.
struct GoneObjects: Sendable {
    private var removed: [ObjectPath: Uptime] = [:]
    private var serviceGone: Uptime?
    /// Whether the poller has no snapshot yet on its connection: it can't know which objects are gone.
    private var isBlind = false

    private static let grace: Duration = .seconds(1)

    var isServiceThere: Bool { serviceGone == nil }

    /// Returns the violations of a call.
    func flaws(of member: MemberName, on path: ObjectPath, at now: Uptime) -> [String] {
        var flaws: [String] = []
        if !isBlind, let gone = removed[path], now - gone > Self.grace {
            flaws.append("\(member) on \(path), which went \(now - gone) ago")
        }
        if let serviceGone, now - serviceGone > Self.grace {
            flaws.append("\(member) on \(path), while there is no bluetoothd")
        }
        return flaws
    }

    mutating func removed(_ path: ObjectPath, at now: Uptime) { removed[path] = now }

    mutating func added(_ path: ObjectPath) { removed[path] = nil }

    mutating func service(isThere: Bool, at now: Uptime) { serviceGone = isThere ? nil : now }

    /// Takes a new connection of the poller.
    mutating func connected() { isBlind = true }

    /// Takes the reply of GetManagedObjects: an object may be there although no signal reported it.
    mutating func sawSnapshot(_ reply: [Value]) {
        isBlind = false
        guard !removed.isEmpty, case .dictionary(_, _, let objects)? = reply.first else { return }
        for object in objects { if let path = ObjectPath(object.key) { removed[path] = nil } }
    }

    mutating func forget() {
        removed = [:]
        serviceGone = nil
    }
}
