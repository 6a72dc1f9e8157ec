import Blekeep
import RunLoop

/// S3 bounded: a tick's reads end within its budget, and the time for a read that began within it. Pure.
struct LongReads: Sendable {
    /// The devices that are being read, since when, and the number of their ticks so far.
    private var since: [String: (begin: Uptime, ticks: Int)] = [:]

    /// 30 s, a busy characteristic, and a glance at each end.
    private static let longest: Duration = .seconds(35)

    /// - Returns: the violation of a device, once.
    mutating func glance(_ device: String, isRead: Bool, ticks: Int, at now: Uptime) -> String? {
        guard isRead else {
            since[device] = nil
            return nil
        }
        guard let known = since[device], known.ticks == ticks else {
            since[device] = (now, ticks)
            return nil
        }
        guard now - known.begin > Self.longest else { return nil }
        since[device] = (.never, ticks)
        return "the tick of \(device) is read since \(known.begin)"
    }

    /// Time passed in a sleep, or another run began.
    mutating func forget() { since = [:] }
}
