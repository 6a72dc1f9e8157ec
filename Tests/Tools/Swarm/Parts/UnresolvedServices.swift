import DBus
import RunLoop

/// S3 bounded: the poller ends a connection within a minute if its services don't get resolved.
struct UnresolvedServices: Sendable {
    private var since: [ObjectPath: Uptime] = [:]

    private static let longest: Duration = .seconds(60)

    mutating func began(_ path: ObjectPath, at now: Uptime) { since[path] = now }

    mutating func over(_ path: ObjectPath) { since[path] = nil }

    /// - Parameters:
    ///   - start: the time before this doesn't count.
    ///   - isKept: returns whether the poller holds the connection.
    /// - Returns: a violation for each connection, once.
    mutating func endless(since start: Uptime, at now: Uptime, _ isKept: (ObjectPath) -> Bool) -> [String] {
        var flaws: [String] = []
        for (path, begun) in since.sorted(by: { $0.key < $1.key })
        where now - max(begun, start) > Self.longest && isKept(path) {
            since[path] = nil
            flaws.append("the services of \(path) are waited for since \(begun)")
        }
        return flaws
    }

    mutating func forget() { since = [:] }
}
