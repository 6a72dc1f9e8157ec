import RunLoop

/// A device's ticks: when they are due, the one in progress, and what became of them. Pure.
struct DeviceTicks: Sendable {
    /// How many there are to be; `nil`: no end.
    private let limit: Int?
    private let powerIntervals: PowerIntervals
    private var schedules: [TickSchedule]
    private var adaptive: AdaptiveInterval?
    /// Whether a person is looking: then nothing stretches the intervals.
    private var isAttended = false
    /// Whether the machine has slept since the last one.
    private var isResuming = false
    private var inProgress: InProgress?
    /// How many were taken, and how many of them are over.
    private(set) var taken = 0
    private(set) var finished = 0
    /// How many times passed unused.
    private(set) var missed = 0

    private struct InProgress: Sendable {
        let tick: DueTick
        /// How often the connection was made again for it.
        var relinks = 0
    }

    init(_ plan: DevicePlan, at start: Uptime) {
        limit = plan.count
        powerIntervals = plan.powerIntervals
        schedules = plan.intervals.sorted().map { TickSchedule(every: $0, from: start) }
        adaptive = plan.adaptive.map { AdaptiveInterval(bounds: $0, seed: plan.address.bits) }
    }

    /// The one in progress.
    var current: DueTick? { inProgress?.tick }
    var isInProgress: Bool { if case .some = inProgress { true } else { false } }

    var isFinished: Bool { limit.map { finished >= $0 } ?? false }

    /// When the next one is due.
    var next: Uptime {
        var next = Uptime.never
        if !isFinished { for schedule in schedules { next = min(next, schedule.next) } }
        return next
    }

    /// From tick to tick at present; `nil`: there are none.
    var interval: Duration? {
        var shortest: Duration?
        for schedule in schedules {
            if let interval = schedule.interval { shortest = min(shortest ?? interval, interval) }
        }
        return shortest
    }

    // MARK: Intervals

    /// Takes on the intervals of a power mode.
    mutating func pace(for mode: PowerMode, at now: Uptime) {
        for index in schedules.indices {
            let interval = powerIntervals.interval(of: schedules[index].base, in: mode)
            let stretching = isAttended ? nil : adaptive
            schedules[index].change(to: interval.map { stretching?.interval(of: $0) ?? $0 }, at: now)
        }
    }

    /// A person looks, or does no more.
    mutating func attend(_ isAttended: Bool, in mode: PowerMode, at now: Uptime) {
        self.isAttended = isAttended
        pace(for: mode, at: now)
    }

    /// Takes on what a tick's outcome asks of the intervals.
    mutating func adapt(to outcome: TickOutcome, in mode: PowerMode, at now: Uptime) {
        guard adaptive != nil else { return }
        adaptive?.take(outcome)
        pace(for: mode, at: now)
    }

    /// The machine has slept: one tick is due soon.
    mutating func resume(at now: Uptime) {
        isResuming = true
        for index in schedules.indices { schedules[index].resume(at: now) }
    }

    // MARK: Ticks

    /// Takes the tick that is due, if one is. What else comes due until it begins is skipped and counted.
    ///
    /// - Parameter isCoalescing: whether the machine is awake for another device's: then one that is due soon comes along.
    mutating func takeDue(at now: Uptime, isCoalescing: Bool = false) -> DueTick? {
        guard !isFinished, limit.map({ taken < $0 }) ?? true, isCoalescing || now >= next else { return nil }
        var due: Set<Duration> = []
        var deadline = Uptime.start
        var skipped = 0
        let mayBeEarly = !isInProgress && (isCoalescing || now >= next)
        for index in schedules.indices {
            guard let taken = schedules[index].take(at: now, isCoalescing: mayBeEarly) else { continue }
            due.insert(schedules[index].base)
            deadline = max(deadline, taken.deadline)
            skipped = max(skipped, taken.skipped)
        }
        guard !due.isEmpty else { return nil }
        taken += 1
        defer { isResuming = false }
        return DueTick(
            number: taken, reason: taken == 1 ? .start : isResuming ? .resume : .timer, deadline: deadline,
            intervals: due, budget: min(longestBudget, interval ?? longestBudget), skipped: skipped)
    }

    mutating func begin(_ tick: DueTick) {
        inProgress = InProgress(tick: tick)
        missed += tick.skipped
    }

    /// The connection is to be made again for the one in progress.
    ///
    /// - Returns: whether that was not done too often.
    mutating func relink() -> Bool {
        inProgress?.relinks += 1
        return inProgress.map { $0.relinks <= Timing.relinksPerTick } ?? true
    }

    mutating func end() {
        inProgress = nil
        finished += 1
    }

    /// Forgets the one in progress, as the machine's sleep came between.
    mutating func drop() {
        guard isInProgress else { return }
        inProgress = nil
        taken -= 1
    }
}
