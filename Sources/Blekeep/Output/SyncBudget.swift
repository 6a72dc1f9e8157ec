import RunLoop

/// How often the disk may be asked to make something safe: twice a minute in the long run, once more at a time.
struct SyncBudget: Sendable, Hashable {
    static let interval: Duration = .seconds(30)
    static let most = 2

    private var full = Uptime.start

    /// Spends one sync, if there is one.
    mutating func spend(at now: Uptime) -> Bool {
        guard now >= next else { return false }
        full = max(full, now) + Self.interval
        return true
    }

    /// Spends one that must be.
    mutating func overspend(at now: Uptime) { full = max(full, now) + Self.interval }

    /// When there is one again.
    var next: Uptime { Uptime(nanoseconds: full.nanoseconds - (Self.interval * (Self.most - 1)).wholeNanoseconds) }
}
