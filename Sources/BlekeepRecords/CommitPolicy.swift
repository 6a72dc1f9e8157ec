import RunLoop

/// Decides when to commit: soon after new records, durably as often as the disk's budget allows, and again after a failure.
/// Pure.
///
/// A durable commit comes at the end of a tick, if the budget allows it, and at the latest 40 s after the oldest change
/// that a power cut would lose.
struct CommitPolicy: Sendable, Hashable {
    /// When the next commit is due; `.never` without one.
    private(set) var due = Uptime.never
    private var budget = SyncBudget()
    /// The time of the oldest change that a power cut would lose.
    private var dirtySince: Uptime?
    /// Whether a tick ended without a durable commit, because the budget was used up.
    private var isOwed = false
    /// Consecutive failures of the store.
    private var failures = 0
    /// The number of readings that were dropped since the last commit, because too many waited.
    private(set) var lost = 0
    /// Whether the program may end at any time.
    private var isEnding = false
    /// The commit that must follow the work in progress, because the disk takes long for that.
    private var next = Next.nothing

    private enum Next: Sendable, Hashable { case nothing, commit, durableCommit }

    /// The longest time from the first new reading to its commit.
    static let maxWait: Duration = .seconds(1)

    var isFailing: Bool { failures > 0 }

    /// Whether the store holds records that a power cut would lose.
    var isDirty: Bool { dirtySince != nil }

    /// The time since a commit was due; zero without one.
    func lag(at now: Uptime) -> Duration { due == .never ? .zero : max(.zero, now - due) }

    mutating func dropped(_ readings: Int) { lost += readings }

    // MARK: Records

    /// Schedules a commit for new records. While the store fails, the next attempt takes them.
    mutating func comeSoon(at now: Uptime) {
        if !isFailing || due == .never { due = min(due, now + Self.maxWait) }
    }

    /// Schedules a commit for records that aren't on the disk yet, or for the time `other`.
    mutating func comeBack(at other: Uptime, now: Uptime) {
        let next = min(syncDue, other)
        if next < .never { due = min(due, max(next, now)) }
    }

    /// When a durable commit is due, other than at the end of a tick.
    var syncDue: Uptime {
        guard let dirtySince else { return .never }
        return isOwed ? budget.next : max(budget.next, dirtySince + SyncBudget.interval)
    }

    /// Returns whether the commit at the end of a tick must be durable.
    mutating func settle(at now: Uptime) -> Bool {
        isOwed = !budget.spend(at: now)
        return !isOwed
    }

    /// Makes each commit durable and immediate from now on, because the program must end.
    mutating func hurry() { isEnding = true }

    /// Whether new records must be committed at once, because there may be no later time.
    ///
    /// - Parameter isResting: whether the machine is about to sleep.
    func isUrgent(isResting: Bool) -> Bool { (isEnding || isResting) && !isFailing }

    /// Accounts for a durable commit beyond the budget.
    mutating func overspend(at now: Uptime) { budget.overspend(at: now) }

    // MARK: Commits

    /// Takes the time of a commit between ticks, or of one that had to wait for the disk.
    /// Returns whether it must be durable.
    mutating func cameDue(at now: Uptime) -> Bool {
        due = .never
        let isOwed = next == .durableCommit
        next = .nothing
        return now >= syncDue && budget.spend(at: now) || isOwed
    }

    /// Lets a commit follow the work in progress. When that has ended, the commit comes due.
    mutating func follow(durable: Bool) {
        due = .never
        next = durable || next == .durableCommit ? .durableCommit : .commit
    }

    /// Whether a commit waits for the end of the work in progress.
    var follows: Bool { next != .nothing }

    /// Call this before a commit.
    mutating func begin() { due = .never }

    /// Schedules the next attempt after a failed commit: soon at first, in case another program locks the file, then after
    /// a minute.
    mutating func failed(at now: Uptime) {
        next = .nothing
        due = now + OutputRetryPause.length(after: failures)
        failures += 1
    }

    /// Call this after a commit.
    ///
    /// - Parameter isEmpty: whether the commit had no records.
    /// - Returns: a line for the log, if the previous commit failed.
    mutating func succeeded(durable: Bool, isEmpty: Bool, at now: Uptime) -> String? {
        if durable {
            dirtySince = nil
            isOwed = false
        } else if !isEmpty {
            dirtySince = dirtySince ?? now
        }
        defer { (failures, lost) = (0, 0) }
        guard isFailing else { return nil }
        return "writing to the history again\(lost > 0 ? "; the oldest \(lost) were dropped" : "")"
    }
}

/// The budget for durable commits: one in 40 s on average, and at most two in a short time. The database's own work, such as
/// a checkpoint of its log, makes that two a minute.
struct SyncBudget: Sendable, Hashable {
    static let interval: Duration = .seconds(40)
    static let max = 2
    private static let ahead = (interval * (max - 1)).wholeNanoseconds

    /// When the budget is full again.
    private var full = Uptime.start

    /// Spends a commit, if the budget allows it.
    mutating func spend(at now: Uptime) -> Bool {
        guard now >= next else { return false }
        overspend(at: now)
        return true
    }

    /// Spends a commit beyond the budget.
    mutating func overspend(at now: Uptime) { full = Swift.max(full, now) + Self.interval }

    /// When the budget allows the next commit.
    var next: Uptime { Uptime(nanoseconds: full.nanoseconds - Self.ahead) }
}
