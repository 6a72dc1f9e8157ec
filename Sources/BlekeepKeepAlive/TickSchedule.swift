import RunLoop

package struct DueTick: Sendable, Hashable {
    /// The number of the tick, from 1.
    package var number: Int
    package var reason: TickReason
    /// When it came due.
    package var deadline: Uptime
    /// The intervals that are due.
    package var intervals: Set<Duration>
    /// The time for the work.
    package var budget: Duration
    /// The number of ticks since the previous one that didn't come.
    package var skipped: Int

    package init(
        number: Int, reason: TickReason, deadline: Uptime, intervals: Set<Duration>, budget: Duration, skipped: Int
    ) {
        self.number = number
        self.reason = reason
        self.deadline = deadline
        self.intervals = intervals
        self.budget = budget
        self.skipped = skipped
    }
}

/// The ticks at one interval, or at several: when the next one is due, and why it comes. A `KeepAlive` has one, and `poll`
/// one for each device. Pure.
///
/// What `poll` asks of all its devices in each step is inlinable: otherwise the caller would copy each device before it asks.
@usableFromInline package struct TickTimer: Sendable {
    /// What ticks depend on.
    package struct Plan: Sendable, Hashable {
        /// The usual intervals.
        package var intervals: Set<Duration>
        /// How they change with the power.
        package var powerIntervals: PowerIntervals
        /// The bounds of intervals that stretch while nothing changes; `nil` for fixed intervals.
        package var adaptive: ClosedRange<Duration>?
        /// Makes the jitter of stretched intervals.
        package var seed: UInt64

        package init(
            intervals: Set<Duration>, powerIntervals: PowerIntervals, adaptive: ClosedRange<Duration>? = nil,
            seed: UInt64 = 0
        ) {
            self.intervals = intervals
            self.powerIntervals = powerIntervals
            self.adaptive = adaptive
            self.seed = seed
        }
    }

    private var powerIntervals: PowerIntervals
    @usableFromInline var schedules: [TickSchedule]
    private var adaptive: AdaptiveInterval?
    /// Whether a user is watching. Intervals then don't stretch.
    private var isWatched = false
    /// Whether the machine slept since the last tick.
    private var isResuming = false
    /// When a user asked for a tick that hasn't come.
    @usableFromInline var requestedAt: Uptime?
    /// The number of ticks that came.
    package private(set) var taken = 0

    package init(_ plan: Plan, from start: Uptime) {
        powerIntervals = plan.powerIntervals
        schedules = plan.intervals.sorted().map { TickSchedule(every: $0, from: start) }
        adaptive = plan.adaptive.map { AdaptiveInterval(bounds: $0, seed: plan.seed) }
    }

    /// Takes a new plan. Ticks at an interval of both plans don't move. The first tick at a new interval comes that interval
    /// after the last tick.
    package mutating func change(to plan: Plan, in mode: PowerMode, at now: Uptime) {
        powerIntervals = plan.powerIntervals
        let last = schedules.compactMap(\.last).max()
        schedules = plan.intervals.sorted().map { interval in
            schedules.first { $0.base == interval } ?? TickSchedule(every: interval, after: last, at: now)
        }
        if plan.adaptive != adaptive?.bounds {
            adaptive = plan.adaptive.map { AdaptiveInterval(bounds: $0, seed: plan.seed) }
        }
        pace(for: mode, at: now)
    }

    // MARK: Intervals

    /// The current time between ticks; `nil` when the power mode has none.
    @inlinable package var interval: Duration? {
        var shortest: Duration?
        for schedule in schedules {
            if let interval = schedule.interval { shortest = min(shortest ?? interval, interval) }
        }
        return shortest
    }

    /// Applies the intervals of a power mode.
    package mutating func pace(for mode: PowerMode, at now: Uptime) {
        for index in schedules.indices {
            let interval = powerIntervals.interval(of: schedules[index].base, in: mode)
            let stretching = isWatched ? nil : adaptive
            schedules[index].change(to: interval.map { stretching?.interval(of: $0) ?? $0 }, at: now)
        }
    }

    package mutating func setWatched(_ isWatched: Bool, in mode: PowerMode, at now: Uptime) {
        self.isWatched = isWatched
        pace(for: mode, at: now)
    }

    package mutating func adapt(to outcome: TickOutcome, in mode: PowerMode, at now: Uptime) {
        guard adaptive != nil else { return }
        adaptive?.adapt(to: outcome)
        pace(for: mode, at: now)
    }

    // MARK: Ticks

    /// Returns when the next tick is due.
    ///
    /// - Parameter isBusy: whether a tick is in progress. A request waits for its end.
    @inlinable package func next(isBusy: Bool = false) -> Uptime {
        var next = (isBusy ? nil : requestedAt) ?? .never
        for schedule in schedules { next = min(next, schedule.next) }
        return next
    }

    /// Returns from when a tick may come along with others.
    ///
    /// - Parameter isBusy: whether a tick is in progress. Then none comes early.
    @inlinable package func earliest(isBusy: Bool) -> Uptime {
        var earliest = next(isBusy: isBusy)
        if !isBusy { for schedule in schedules { earliest = min(earliest, schedule.earliest) } }
        return earliest
    }

    /// Makes a tick due soon after the machine's sleep.
    /// Returns the number of ticks that didn't come meanwhile, besides that one.
    @discardableResult
    package mutating func resume(at now: Uptime) -> Int {
        isResuming = true
        return skip(at: now)
    }

    /// Makes a single tick due, instead of those that didn't come.
    /// Returns the number of ticks that didn't come, besides that one.
    @discardableResult
    package mutating func skip(at now: Uptime) -> Int {
        var skipped = 0
        for index in schedules.indices { skipped = max(skipped, schedules[index].resume(at: now)) }
        return skipped
    }

    /// Makes a tick due, now or after the one in progress. The schedules don't move.
    package mutating func request(at now: Uptime) { requestedAt = requestedAt ?? now }

    package mutating func cancelRequest() { requestedAt = nil }

    /// Takes a due tick, and with it those at other intervals that are due soon. Ticks that come due before it begins are
    /// skipped and counted.
    ///
    /// - Parameters:
    ///   - isCoalescing: whether the machine is awake for another reason. Then a tick that is due soon comes, too.
    ///   - isBusy: whether a tick is in progress. Then none comes early.
    package mutating func takeDue(at now: Uptime, isCoalescing: Bool = false, isBusy: Bool = false) -> DueTick? {
        guard isCoalescing || now >= next(isBusy: isBusy) else { return nil }
        var due: Set<Duration> = []
        var deadline = Uptime.start
        var skipped = 0
        for index in schedules.indices {
            guard let taken = schedules[index].takeDue(at: now, isCoalescing: !isBusy) else { continue }
            due.insert(schedules[index].base)
            deadline = max(deadline, taken.deadline)
            skipped = max(skipped, taken.skipped)
        }
        if let requestedAt, !isBusy || !due.isEmpty {
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
            intervals: due, budget: min(maxBudget, interval ?? maxBudget), skipped: skipped)
    }

    /// Doesn't count the last tick, because the machine slept meanwhile.
    package mutating func drop() { taken -= 1 }
}

/// The times of ticks: the first at once, then an interval after the last deadline, not after the last tick.
@usableFromInline package struct TickSchedule: Sendable, Hashable {
    /// The configured interval, which identifies the schedule.
    package let base: Duration
    /// The current interval; `nil` while there are no ticks.
    @usableFromInline package private(set) var interval: Duration?
    @usableFromInline package private(set) var next: Uptime
    /// The last deadline; `nil` before the first tick.
    package private(set) var last: Uptime?
    private var missed = 0

    package init(every interval: Duration, from start: Uptime) {
        base = interval
        self.interval = interval
        next = start
    }

    /// - Parameter last: the device's last tick; `nil` for a first tick at once.
    package init(every interval: Duration, after last: Uptime?, at now: Uptime) {
        self.init(every: interval, from: last.map { max(now, $0 + interval) } ?? now)
        self.last = last
    }

    /// Takes a due tick, and returns its deadline and the number of skipped ticks since the last one.
    ///
    /// A tick that is late by more than half an interval is skipped, because the next one is nearer.
    ///
    /// - Parameter isCoalescing: whether the machine is awake for another tick. Then a tick that is due soon comes, too.
    ///   The deadlines don't move.
    package mutating func takeDue(at now: Uptime, isCoalescing: Bool = false) -> (deadline: Uptime, skipped: Int)? {
        guard let interval, now >= (isCoalescing ? earliest : next) else { return nil }
        if now < next { return comeEarly(interval) }
        let step = max(1, interval.wholeNanoseconds)
        let late = now.nanoseconds - next.nanoseconds
        let passed = late / step
        let deadline = Uptime(nanoseconds: next.nanoseconds + passed * step)
        next = deadline + interval
        last = deadline
        missed += Int(clamping: passed)
        guard late % step <= step / 2 else {
            missed += 1
            return nil
        }
        defer { missed = 0 }
        return (deadline, missed)
    }

    /// From when the next tick may come together with others.
    @usableFromInline var earliest: Uptime {
        guard let interval, next < .never else { return .never }
        return next + (.zero - min(interval / 4, Self.maxWindow))
    }
    static let maxWindow: Duration = .seconds(30)

    private mutating func comeEarly(_ interval: Duration) -> (deadline: Uptime, skipped: Int) {
        defer {
            last = next
            next = next + interval
            missed = 0
        }
        return (next, missed)
    }

    /// Changes the interval, counted from the last deadline. If a tick is then overdue, a single tick is due now.
    package mutating func change(to interval: Duration?, at now: Uptime) {
        guard interval != self.interval else { return }
        let wasPaused = self.interval == nil
        self.interval = interval
        guard let interval else {
            next = .never
            return
        }
        if let last { next = max(now, last + interval) } else if wasPaused { next = now }
    }

    /// Makes a single tick due after the machine's sleep, at least 5 s after the last one.
    /// Returns the number of ticks that didn't come meanwhile, besides that one.
    @discardableResult
    package mutating func resume(at now: Uptime) -> Int {
        guard let interval, next < .never else { return 0 }
        let passed = max(0, now.nanoseconds - next.nanoseconds) / max(1, interval.wholeNanoseconds)
        let soonest = last.map { $0 + min(interval, .seconds(5)) } ?? now
        next = min(max(now, soonest), max(now, next))
        return Int(clamping: passed)
    }
}

/// Stretches an interval while values don't change.
package struct AdaptiveInterval: Sendable, Hashable {
    package let bounds: ClosedRange<Duration>
    private let seed: UInt64
    /// In percent of the usual interval.
    private var stretch = 100
    private var ticks: UInt64 = 0

    package static let maxStretch = 400

    package init(bounds: ClosedRange<Duration>, seed: UInt64) { (self.bounds, self.seed) = (bounds, seed) }

    /// New data brings the usual interval back. A tick without new data stretches it by half. Failures have their own
    /// pauses.
    package mutating func adapt(to outcome: TickOutcome) {
        ticks &+= 1
        switch outcome {
        case .newData: stretch = 100
        case .noData: stretch = min(Self.maxStretch, stretch * 3 / 2)
        case .failed: break
        }
    }

    /// Returns the current interval: within the bounds, but never shorter than `interval`. A jitter of up to 5 %, fixed
    /// by the seed, spreads devices.
    package func interval(of interval: Duration) -> Duration {
        guard stretch > 100 else { return max(interval, bounds.lowerBound) }
        let jitter = Int(SplitMix64.number(seed: seed &+ ticks) % 101) - 50
        let stretched = interval * stretch / 100 * (1000 + jitter) / 1000
        return max(interval, min(max(stretched, bounds.lowerBound), bounds.upperBound))
    }
}
