import DBus
import RunLoop

/// One device as the keeper sees it: what is true, what is under way, and what is wanted.
///
/// What is asked of every device at every step is inlined: each call would copy the whole of it.
struct DeviceState: Sendable {
    let id: DeviceID
    let plan: DevicePlan

    // True, as far as BlueZ says.
    var facts: DeviceFacts? { didSet { isTouched = true } }
    var heardAt: Uptime?
    /// When a value of it last came.
    var readAt: Uptime?

    // Under way.
    var link = LinkMachine() { didSet { isTouched = true } }

    // Wanted.
    private(set) var tick: DueTick?
    private var schedules: [TickSchedule] { didSet { scheduleChanged() } }
    private(set) var ticks = 0
    var finished = 0 { didSet { isTouched = true } }
    private var isResuming = false
    private var adaptive: AdaptiveRhythm?
    /// Whether a person is looking: then nothing stretches.
    private var isAttended = false
    var relinks = 0
    var searched: Duration = .zero
    /// Why only a person can help; `nil` when that is not so.
    var parked: ReadingFailure?

    // Learned.
    var backoff: Backoff
    var notBefore = Uptime.start { didSet { isTouched = true } }
    var health = Health()
    /// When other programs ended our link.
    var endedByOthers: [Uptime] = []
    var endedLocally: LocalEnd?
    /// When its link last ended by itself and no new link had anything to do with it.
    var lostAt: Uptime?
    var bearer = Bearer.usual
    /// When what BlueZ remembered of it was removed.
    var forgottenAt: Uptime?

    /// How it is connected, if BlueZ tries classic Bluetooth with it.
    enum Bearer: Sendable, Hashable {
        case usual
        case lowEnergy
        /// The usual way again, after BlueZ was told to prefer Low Energy.
        case preferred
    }

    /// Whether it is connected by Low Energy alone.
    var isConnectedByBearer: Bool { bearer == .lowEnergy && facts?.hasLowEnergyBearer == true }

    /// Moments that passed unused.
    private(set) var missed = 0
    /// Whether something that its snapshot shows may have changed since the last one.
    var isTouched = true

    init(id: DeviceID, plan: DevicePlan, at start: Uptime) {
        self.id = id
        self.plan = plan
        schedules = plan.intervals.sorted().map { TickSchedule(every: $0, from: start) }
        backoff = Backoff(seed: plan.address.bits)
        adaptive = plan.adaptive.map { AdaptiveRhythm(bounds: $0, seed: plan.address.bits) }
        scheduleChanged()
    }

    @inline(__always) var isConnected: Bool { facts?.isConnected ?? false }
    @inline(__always) var isBlocked: Bool { facts?.isBlocked ?? false }
    /// Whether BlueZ has it.
    @inline(__always) var isKnown: Bool { if case .some = facts { true } else { false } }
    /// Whether there is something to do with a link that is up: to wait for its services, the tick's work, or to
    /// subscribe again.
    @inline(__always) var needsLink: Bool { hasTick || link.isUnsubscribed || !(facts?.isResolved ?? false) }
    @inline(__always) var hasTick: Bool { tick != nil }

    @inline(__always) func wasHeard(within window: Duration, of now: Uptime) -> Bool {
        if let heardAt { now - heardAt <= window } else { false }
    }

    @inline(__always) var isFinished: Bool {
        guard let count = plan.count else { return false }
        return finished >= count
    }

    /// When something about this device's schedule is due.
    @inline(__always) var nextTick: Uptime { isFinished ? .never : nextDeadline }

    /// The earliest of the schedules' moments; kept, for it is asked at every step.
    private(set) var nextDeadline = Uptime.never
    /// From tick to tick at the moment; `nil`: there are none.
    private(set) var shortestInterval: Duration?

    private mutating func scheduleChanged() {
        isTouched = true
        nextDeadline = .never
        shortestInterval = nil
        for schedule in schedules {
            nextDeadline = min(nextDeadline, schedule.next)
            if let interval = schedule.interval { shortestInterval = min(shortestInterval ?? interval, interval) }
        }
    }

    // MARK: Rhythm

    /// Takes on the intervals of a power mode.
    mutating func pace(for mode: PowerMode, at now: Uptime) {
        for index in schedules.indices {
            let interval = plan.rhythm.interval(of: schedules[index].base, in: mode)
            let stretching = isAttended ? nil : adaptive
            schedules[index].change(to: interval.map { stretching?.interval(of: $0) ?? $0 }, at: now)
        }
    }

    /// A person looks, or does no more.
    mutating func attend(_ isAttended: Bool, in mode: PowerMode, at now: Uptime) {
        self.isAttended = isAttended
        pace(for: mode, at: now)
    }

    /// Takes on what a tick's outcome asks of the rhythm.
    mutating func adapt(to outcome: TickOutcome, in mode: PowerMode, at now: Uptime) {
        guard adaptive != nil else { return }
        adaptive?.take(outcome)
        pace(for: mode, at: now)
    }

    /// Forgets a tick that the machine's sleep came between.
    mutating func dropTick() {
        guard tick != nil else { return }
        tick = nil
        ticks -= 1
    }

    /// The machine has slept: one tick, and no pause from before counts.
    mutating func resume(at now: Uptime) {
        isResuming = true
        if parked == nil { notBefore = .start }
        for index in schedules.indices { schedules[index].resume(at: now) }
    }

    // MARK: Ticks

    /// Whether a tick of it is due.
    @inline(__always) func isDue(at now: Uptime) -> Bool {
        !link.phase.isPolling && now >= nextTick
    }

    /// Takes the tick that is due, if one is; a tick still under way then is over.
    ///
    /// - Parameter isInCompany: whether other devices have one now: then one that would be due soon is taken, too.
    mutating func takeDue(at now: Uptime, inCompany isInCompany: Bool = false) -> DueTick? {
        guard !isFinished, plan.count.map({ ticks < $0 }) ?? true else { return nil }
        // While the last tick's work goes on, what comes due is skipped and counted: polls never overlap.
        guard !link.phase.isPolling, isInCompany || now >= nextDeadline else { return nil }
        var due: Set<Duration> = []
        var deadline = Uptime.start
        var missed = 0
        let mayBeEarly = tick == nil && (isInCompany || isDue(at: now))
        for index in schedules.indices {
            guard let taken = schedules[index].take(at: now, inCompany: mayBeEarly) else { continue }
            due.insert(schedules[index].base)
            deadline = max(deadline, taken.deadline)
            missed = max(missed, taken.skipped)
        }
        guard !due.isEmpty else { return nil }
        ticks += 1
        let shortest = shortestInterval ?? longestBudget
        defer { isResuming = false }
        return DueTick(
            number: ticks, reason: ticks == 1 ? .start : isResuming ? .resume : .timer, deadline: deadline,
            intervals: due,
            budget: min(longestBudget, shortest), skipped: missed)
    }

    mutating func begin(_ due: DueTick) {
        tick = due
        missed += due.skipped
        health.beginTick()
        relinks = 0
        searched = .zero
    }

    mutating func endTick(good isGood: Bool) {
        tick = nil
        finished += 1
        health.endTick(good: isGood)
    }
}

/// What the configuration wants of a device.
struct DevicePlan: Sendable, Hashable {
    var name: String
    var address: BluetoothAddress
    var adapter: AdapterChoice?
    var mode: LinkMode
    /// The intervals of all its points.
    var intervals: Set<Duration>
    var rhythm = PowerRhythm()
    /// The bounds within which the intervals follow what is new; `nil`: they do not.
    var adaptive: ClosedRange<Duration>?
    /// Whether a point is subscribed to, or may turn out to be: then the link is held.
    var subscribes: Bool
    /// How many ticks to make; `nil` for ever.
    var count: Int?

    var shortestInterval: Duration { intervals.min() ?? .seconds(30) }
}
