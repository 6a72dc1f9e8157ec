import RunLoop

/// Decides when to commit: soon after new records, durably as often as the disk's budget allows, and again after a failure.
final class CommitSchedule {
    private let loop: RunLoop
    private var syncs = SyncSchedule()
    private var health = StoreHealth()
    /// Whether the program may end at any time.
    private var isEnding = false
    private lazy var timer = ClosureTimer { [weak self] in
        if let self { onDue?(syncs.spendIfDue(at: loop.now)) }
    }

    /// The longest time from the first new reading to its commit.
    static let longestWait: Duration = .seconds(1)

    /// Called when a commit is due, with whether it must be durable.
    var onDue: ((_ isDurable: Bool) -> Void)?

    init(on loop: RunLoop) { self.loop = loop }

    /// Whether the last commit failed.
    var isFailing: Bool { health.isFailing }

    /// Whether the store holds records that a power cut would lose.
    var isDirty: Bool { syncs.isDirty }

    /// The time since a commit was due; zero without one.
    var lag: Duration { timer.isArmed ? max(.zero, loop.now - timer.deadline) : .zero }

    /// The number of readings that were dropped since the last commit, because too many waited.
    var lost: Int { health.lost }

    func dropped(_ readings: Int) { health.dropped(readings) }

    // MARK: Records

    /// Schedules a commit for new records. While the store fails, the next attempt takes them.
    func comeSoon() {
        if !isFailing || !timer.isArmed { come(at: loop.now + Self.longestWait) }
    }

    /// Schedules a commit for records that aren't on the disk yet, or for the time `due`.
    func comeBack(at due: Uptime) {
        let next = min(syncs.due, due)
        if next < .never { come(at: max(next, loop.now)) }
    }

    private func come(at time: Uptime) {
        if !timer.isArmed || time < timer.deadline { loop.arm(timer, at: time) }
    }

    /// Returns whether the commit at the end of a tick must be durable.
    func settle() -> Bool { syncs.settle(at: loop.now) }

    /// Makes each commit durable and immediate from now on, because the program must end.
    func hurry() { isEnding = true }

    /// Whether new records must be committed at once, because there may be no later time.
    ///
    /// - Parameter isResting: whether the machine is about to sleep.
    func isUrgent(isResting: Bool) -> Bool { (isEnding || isResting) && !isFailing }

    /// Accounts for a durable commit beyond the budget.
    func overspend() { syncs.overspend(at: loop.now) }

    // MARK: Commits

    /// Call this before a commit.
    func begin() { loop.disarm(timer) }

    /// Schedules the next attempt after a failed commit.
    func failed() { loop.arm(timer, at: loop.now + health.failed()) }

    /// Call this after a commit.
    ///
    /// - Parameter isEmpty: whether the commit had no records.
    /// - Returns: a line for the log, if the previous commit failed.
    func succeeded(durable: Bool, isEmpty: Bool) -> String? {
        syncs.committed(durable: durable, isEmpty: isEmpty, at: loop.now)
        return health.succeeded()
    }

    func end() { loop.disarm(timer) }
}
