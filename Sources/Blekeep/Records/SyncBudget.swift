import RunLoop

/// How often the disk may be asked to make something safe: twice a minute in the long run, once more at a time.
struct SyncBudget: Sendable, Hashable {
    static let interval: Duration = .seconds(30)
    static let most = 2
    /// How long before all are there again the next one may be spent.
    private static let ahead = (interval * (most - 1)).wholeNanoseconds

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
    var next: Uptime { Uptime(nanoseconds: full.nanoseconds - Self.ahead) }
}
