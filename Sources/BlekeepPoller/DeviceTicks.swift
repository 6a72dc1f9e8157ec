import RunLoop

/// A device's ticks: the schedule, the tick in progress, and counters. Pure.
struct DeviceTicks: Sendable {
    /// The number of ticks to make; `nil` for no limit.
    private let limit: Int?
    private var powerIntervals: PowerIntervals
    private var schedules: [TickSchedule]
    private var adaptive: AdaptiveInterval?
    /// Whether a user is watching. Intervals then don't stretch.
    private var isWatched = false
    /// Whether the machine slept since the last tick.
    private var isResuming = false
    /// When a user asked for a tick that hasn't begun.
    private var requestedAt: Uptime?
    /// The end of a user's pause; `nil` without one.
    private(set) var pausedUntil: Uptime?
    /// Whether the device has left the configuration.
    private(set) var isOver = false
    private var inProgress: InProgress?
    /// The number of ticks that began, and of those that ended.
    private(set) var taken = 0
    private(set) var finished = 0
    /// The number of ticks that didn't come.
    private(set) var missed = 0

    private struct InProgress: Sendable {
        let tick: DueTick
        /// The number of reconnections during the tick.
        var relinks = 0
        /// Whether its reads began.
        var isPolled = false
    }

    init(_ plan: DevicePlan, at start: Uptime) {
        limit = plan.count
        powerIntervals = plan.powerIntervals
        schedules = plan.intervals.sorted().map { TickSchedule(every: $0, from: start) }
        adaptive = plan.adaptive.map { AdaptiveInterval(bounds: $0, seed: plan.address.bits) }
    }

    /// The tick in progress.
    var current: DueTick? { inProgress?.tick }
    var isInProgress: Bool { if case .some = inProgress { true } else { false } }

    var isFinished: Bool { limit.map { finished >= $0 } ?? false }

    /// Whether there are no ticks: a user paused the device, or it has left the configuration. A run of a given number of
    /// ticks reads a paused device nevertheless.
    var isPaused: Bool { isOver || pausedUntil != nil && limit == nil }

    /// When the next tick is due.
    var next: Uptime {
        guard !isFinished, !isPaused else { return .never }
        var next = (isInProgress ? nil : requestedAt) ?? .never
        for schedule in schedules { next = min(next, schedule.next) }
        return next
    }

    /// The current time between ticks; `nil` when the device is paused.
    var interval: Duration? {
        if isPaused { return nil }
        var shortest: Duration?
        for schedule in schedules {
            if let interval = schedule.interval { shortest = min(shortest ?? interval, interval) }
        }
        return shortest
    }

    // MARK: Plans

    /// Takes the intervals of a new plan. Ticks at an interval of both plans don't move. The first tick at a new interval
    /// comes that interval after the last tick.
    mutating func change(to plan: DevicePlan, in mode: PowerMode, at now: Uptime) {
        powerIntervals = plan.powerIntervals
        let last = schedules.compactMap(\.last).max()
        schedules = plan.intervals.sorted().map { interval in
            schedules.first { $0.base == interval } ?? TickSchedule(every: interval, after: last, at: now)
        }
        if plan.adaptive != adaptive?.bounds {
            adaptive = plan.adaptive.map { AdaptiveInterval(bounds: $0, seed: plan.address.bits) }
        }
        pace(for: mode, at: now)
    }

    /// Gives the device no more ticks, because it has left the configuration.
    mutating func close() {
        isOver = true
        requestedAt = nil
    }

    // MARK: Intervals

    /// Applies the intervals of a power mode.
    mutating func pace(for mode: PowerMode, at now: Uptime) {
        for index in schedules.indices {
            let interval = powerIntervals.interval(of: schedules[index].base, in: mode)
            let stretching = isWatched ? nil : adaptive
            schedules[index].change(to: interval.map { stretching?.interval(of: $0) ?? $0 }, at: now)
        }
    }

    /// Sets whether a user is watching.
    mutating func setWatched(_ isWatched: Bool, in mode: PowerMode, at now: Uptime) {
        self.isWatched = isWatched
        pace(for: mode, at: now)
    }

    /// Adapts the intervals to the outcome of a tick.
    mutating func adapt(to outcome: TickOutcome, in mode: PowerMode, at now: Uptime) {
        guard adaptive != nil else { return }
        adaptive?.adapt(to: outcome)
        pace(for: mode, at: now)
    }

    /// Makes a tick due soon after the machine's sleep.
    mutating func resume(at now: Uptime) {
        isResuming = true
        for index in schedules.indices { schedules[index].resume(at: now) }
    }

    // MARK: Commands

    /// Makes a tick due, now or after the one in progress. The schedules don't move.
    mutating func request(at now: Uptime) { requestedAt = requestedAt ?? now }

    mutating func pause(until end: Uptime) {
        pausedUntil = end
        requestedAt = nil
    }

    /// Ends a user's pause: a single tick is due now, instead of those that didn't come.
    mutating func endPause(at now: Uptime) {
        pausedUntil = nil
        for index in schedules.indices { schedules[index].resume(at: now) }
    }

    // MARK: Ticks

    /// Takes a due tick. Ticks that come due before it begins are skipped and counted.
    ///
    /// - Parameter isCoalescing: whether another device's tick is due. Then a tick that is due soon runs, too.
    mutating func takeDue(at now: Uptime, isCoalescing: Bool = false) -> DueTick? {
        guard !isFinished, !isPaused, limit.map({ taken < $0 }) ?? true, isCoalescing || now >= next else {
            return nil
        }
        var due: Set<Duration> = []
        var deadline = Uptime.start
        var skipped = 0
        let mayBeEarly = !isInProgress && (isCoalescing || now >= next)
        for index in schedules.indices {
            guard let taken = schedules[index].takeDue(at: now, isCoalescing: mayBeEarly) else { continue }
            due.insert(schedules[index].base)
            deadline = max(deadline, taken.deadline)
            skipped = max(skipped, taken.skipped)
        }
        if let requestedAt, !isInProgress || !due.isEmpty {
            due = Set(schedules.map(\.base))
            deadline = max(deadline, requestedAt)
        }
        guard !due.isEmpty else { return nil }
        taken += 1
        defer {
            isResuming = false
            requestedAt = nil
        }
        let reason: TickReason = isResuming ? .resume : requestedAt == nil ? .timer : .request
        return DueTick(
            number: taken, reason: taken == 1 ? .start : reason, deadline: deadline,
            intervals: due, budget: min(longestBudget, interval ?? longestBudget), skipped: skipped)
    }

    mutating func begin(_ tick: DueTick) {
        inProgress = InProgress(tick: tick)
        missed += tick.skipped
    }

    /// Counts a reconnection during the tick in progress.
    ///
    /// - Returns: whether it is allowed.
    mutating func relink() -> Bool {
        inProgress?.relinks += 1
        return inProgress.map { $0.relinks <= Timing.relinksPerTick } ?? true
    }

    /// Takes the beginning of the reads of the tick in progress.
    ///
    /// - Returns: how late they are; `nil` when they begin again, on another connection.
    mutating func polls(at now: Uptime) -> Duration? {
        guard let tick = inProgress?.tick, inProgress?.isPolled == false else { return nil }
        inProgress?.isPolled = true
        return max(.zero, now - tick.deadline)
    }

    mutating func end() {
        inProgress = nil
        finished += 1
    }

    /// Drops the tick in progress, because the machine sleeps.
    mutating func drop() {
        guard isInProgress else { return }
        inProgress = nil
        taken -= 1
    }
}

/// The users who asked for a tick and wait for its end.
final class TickWaiters {
    typealias Answer = (Result<[UInt8], ReadingFailure>) -> Void

    private struct Waiter {
        let device: DeviceIndex
        /// The number of the first tick that answers it.
        let tick: Int
        let deadline: Uptime
        let answer: Answer
    }

    private let loop: RunLoop
    private var waiters: [Waiter] = []
    private lazy var timer = ClosureTimer { [weak self] in self?.expire() }

    static let most = 64
    /// How long a user waits for the end of a tick.
    static let patience: Duration = .seconds(60)

    init(_ loop: RunLoop) { self.loop = loop }

    /// - Parameter answer: called once, at the end of the tick with this number or a later one, or with a failure.
    func add(_ device: DeviceIndex, tick: Int, _ answer: @escaping Answer) {
        guard waiters.count < Self.most else { return answer(.failure(.refused("too many users wait already"))) }
        waiters.append(Waiter(device: device, tick: tick, deadline: loop.now + Self.patience, answer: answer))
        arm()
    }

    func ended(_ device: DeviceIndex, tick: Int, _ failure: ReadingFailure?) {
        guard !waiters.isEmpty else { return }
        answer(failure.map { .failure($0) } ?? .success([])) { $0.device == device && tick >= $0.tick }
    }

    func refuse(_ device: DeviceIndex, _ failure: ReadingFailure) {
        answer(.failure(failure)) { $0.device == device }
    }

    private func expire() {
        let now = loop.now
        let length = DurationText.text(Self.patience)
        answer(.failure(ReadingFailure(.late, "the device wasn't read within \(length)"))) { now >= $0.deadline }
    }

    private func answer(_ result: Result<[UInt8], ReadingFailure>, where isMeant: (Waiter) -> Bool) {
        let meant = waiters.filter(isMeant)
        waiters.removeAll(where: isMeant)
        arm()
        for waiter in meant { waiter.answer(result) }
    }

    private func arm() {
        if let first = waiters.first { loop.arm(timer, at: first.deadline) } else { loop.disarm(timer) }
    }
}
