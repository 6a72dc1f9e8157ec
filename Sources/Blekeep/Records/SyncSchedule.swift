import RunLoop

/// When commits must survive a power cut: at the end of a tick, as often as the disk's budget allows, and at the latest
/// half a minute after the oldest change that a power cut would take.
struct SyncSchedule: Sendable, Hashable {
    private var budget = SyncBudget()
    /// Since when something is kept that a power cut would take.
    private var dirtySince: Uptime?
    /// Whether a tick has ended and its readings couldn't be written to disk yet.
    private var isOwed = false

    var isDirty: Bool { dirtySince != nil }

    /// When a durable commit is due without the end of a tick.
    var due: Uptime {
        guard let dirtySince else { return .never }
        return isOwed ? budget.next : max(budget.next, dirtySince + SyncBudget.interval)
    }

    /// A tick has ended.
    ///
    /// - Returns: whether its commit is to be durable.
    mutating func settle(at now: Uptime) -> Bool {
        isOwed = !budget.spend(at: now)
        return !isOwed
    }

    /// Returns whether a commit between ticks is to be durable.
    mutating func spendIfDue(at now: Uptime) -> Bool { now >= due && budget.spend(at: now) }

    /// A commit is durable whatever the budget says.
    mutating func overspend(at now: Uptime) { budget.overspend(at: now) }

    /// - Parameter isEmpty: whether the commit had nothing that a power cut could take.
    mutating func committed(durable: Bool, isEmpty: Bool, at now: Uptime) {
        if durable {
            dirtySince = nil
            isOwed = false
        } else if !isEmpty {
            dirtySince = dirtySince ?? now
        }
    }
}
