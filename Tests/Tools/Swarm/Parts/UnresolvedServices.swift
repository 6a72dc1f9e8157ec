import DBus
import RunLoop

/// S3 bounded: a link whose services don't come is ended within a minute.
struct UnresolvedServices: Sendable {
    private var since: [ObjectPath: Uptime] = [:]

    private static let longest: Duration = .seconds(60)

    mutating func began(_ path: ObjectPath, at now: Uptime) { since[path] = now }

    mutating func over(_ path: ObjectPath) { since[path] = nil }

    /// - Parameters:
    ///   - start: waits before it don't count.
    ///   - isKept: whether the keeper holds the link.
    /// - Returns: what is waited for too long; each once.
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
