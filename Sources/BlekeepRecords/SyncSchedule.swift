import RunLoop

/// Decides which commits are durable: at the end of a tick, if the budget allows it, and at the latest 40 s after
/// the oldest change that a power cut would lose.
struct SyncSchedule: Sendable, Hashable {
    private var budget = SyncBudget()
    /// The time of the oldest change that a power cut would lose.
    private var dirtySince: Uptime?
    /// Whether a tick ended without a durable commit, because the budget was used up.
    private var isOwed = false

    var isDirty: Bool { dirtySince != nil }

    /// When a durable commit is due, other than at the end of a tick.
    var due: Uptime {
        guard let dirtySince else { return .never }
        return isOwed ? budget.next : max(budget.next, dirtySince + SyncBudget.interval)
    }

    /// Returns whether the commit at the end of a tick must be durable.
    mutating func settle(at now: Uptime) -> Bool {
        isOwed = !budget.spend(at: now)
        return !isOwed
    }

    /// Returns whether a commit between ticks must be durable.
    mutating func spendIfDue(at now: Uptime) -> Bool { now >= due && budget.spend(at: now) }

    /// Accounts for a durable commit beyond the budget.
    mutating func overspend(at now: Uptime) { budget.overspend(at: now) }

    /// - Parameter isEmpty: whether the commit had no records.
    mutating func committed(durable: Bool, isEmpty: Bool, at now: Uptime) {
        if durable {
            dirtySince = nil
            isOwed = false
        } else if !isEmpty {
            dirtySince = dirtySince ?? now
        }
    }
}
