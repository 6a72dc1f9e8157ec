import RunLoop

/// The budget for durable commits: one in 40 s on average, and at most two in a short time. The database's own work, such as
/// a checkpoint of its log, makes that two a minute.
struct SyncBudget: Sendable, Hashable {
    static let interval: Duration = .seconds(40)
    static let most = 2
    private static let ahead = (interval * (most - 1)).wholeNanoseconds

    /// When the budget is full again.
    private var full = Uptime.start

    /// Spends a commit, if the budget allows it.
    mutating func spend(at now: Uptime) -> Bool {
        guard now >= next else { return false }
        full = max(full, now) + Self.interval
        return true
    }

    /// Spends a commit beyond the budget.
    mutating func overspend(at now: Uptime) { full = max(full, now) + Self.interval }

    /// When the budget allows the next commit.
    var next: Uptime { Uptime(nanoseconds: full.nanoseconds - Self.ahead) }
}
