import RunLoop

/// When commits are made: soon after something came, a durable one as often as the disk's budget allows, and another try
/// after one that failed.
final class CommitSchedule {
    private let loop: RunLoop
    private var syncs = SyncSchedule()
    private var health = StoreHealth()
    /// Whether the program may be ended at any moment.
    private var isEnding = false
    private lazy var timer = ClosureTimer { [unowned self] in self.onDue?(self.syncs.spendIfDue(at: self.loop.now)) }

    /// From the first new reading to its commit, at most.
    static let longestWait: Duration = .seconds(1)

    /// Called when a commit is due, with whether it is to be durable.
    var onDue: ((_ isDurable: Bool) -> Void)?

    init(on loop: RunLoop) { self.loop = loop }

    /// Whether the store took nothing the last time.
    var isFailing: Bool { health.isFailing }

    /// Whether something is kept that a power cut would take.
    var isDirty: Bool { syncs.isDirty }

    /// How many readings were dropped since the last commit, as too many waited.
    var lost: Int { health.lost }

    func dropped(_ readings: Int) { health.dropped(readings) }

    // MARK: What comes

    /// There is something to commit. What came while the store fails goes with the next try.
    func comeSoon() {
        if !isFailing || !timer.isArmed { come(at: loop.now + Self.longestWait) }
    }

    /// Comes back by itself for what is not safe yet, and when something else is due.
    func comeBack(at due: Uptime) {
        let next = min(syncs.due, due)
        if next < .never { come(at: max(next, loop.now)) }
    }

    private func come(at moment: Uptime) {
        if !timer.isArmed || moment < timer.deadline { loop.arm(timer, at: moment) }
    }

    /// The tick has ended.
    ///
    /// - Returns: whether its commit is to be durable.
    func settle() -> Bool { syncs.settle(at: loop.now) }

    /// The program is asked to end: from now on each commit is durable and is made at once.
    func hurry() { isEnding = true }

    /// Whether what comes now is to be committed at once, as there may be no later.
    ///
    /// - Parameter isResting: whether the machine is about to sleep.
    func isUrgent(isResting: Bool) -> Bool { (isEnding || isResting) && !isFailing }

    /// A commit will be durable whatever the budget says.
    func overspend() { syncs.overspend(at: loop.now) }

    // MARK: Commits

    /// A commit is tried now.
    func begin() { loop.disarm(timer) }

    /// The commit failed: another try comes after a pause.
    func failed() { loop.arm(timer, at: loop.now + health.failed()) }

    /// The commit succeeded.
    ///
    /// - Parameter isEmpty: whether it had nothing that a power cut could take.
    /// - Returns: what to log if the store has failed before.
    func succeeded(durable: Bool, isEmpty: Bool) -> String? {
        syncs.committed(durable: durable, isEmpty: isEmpty, at: loop.now)
        return health.succeeded()
    }

    func end() { loop.disarm(timer) }
}
