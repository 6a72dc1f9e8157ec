import DBus
import RunLoop

/// One device as the keeper sees it: what is true, what is in progress, what is wanted, and what was learned.
///
/// What is asked of every device at every step is inlined: each call would copy all of it.
struct DeviceState: Sendable {
    let id: DeviceID
    let plan: DevicePlan
    /// What BlueZ says of it; `nil`: BlueZ doesn't have it.
    var facts: DeviceFacts? { didSet { isTouched = true } }
    var contact = Contact()
    var link = LinkMachine() { didSet { isTouched = true } }
    private(set) var ticks: DeviceTicks { didSet { isTouched = true } }
    var retry: Retry { didSet { isTouched = true } }
    var health = Health()
    var history = LinkHistory()
    /// What was heard of it; `nil` where advertisements of it aren't wanted.
    var listening: ListeningState?
    /// Whether something that its snapshot shows may have changed since the last one.
    var isTouched = true

    init(id: DeviceID, plan: DevicePlan, at start: Uptime) {
        self.id = id
        self.plan = plan
        ticks = DeviceTicks(plan, at: start)
        retry = Retry(seed: plan.address.bits)
        listening = plan.mode.listens ? ListeningState(at: start) : nil
    }

    @inline(__always) var isConnected: Bool { facts?.isConnected ?? false }
    @inline(__always) var isBlocked: Bool { facts?.isBlocked ?? false }
    /// Whether BlueZ has it.
    @inline(__always) var isKnown: Bool { if case .some = facts { true } else { false } }
    /// Whether it is connected by Low Energy alone.
    var isConnectedByBearer: Bool { history.bearer == .lowEnergy && facts?.hasLowEnergyBearer == true }
    /// Whether there is something to do with a connection that is up: to wait for its services, the tick's work, or to
    /// subscribe again.
    @inline(__always) var needsLink: Bool { hasTick || link.isUnsubscribed || !(facts?.isResolved ?? false) }

    // MARK: Ticks

    var tick: DueTick? { ticks.current }
    @inline(__always) var hasTick: Bool { ticks.isInProgress }
    @inline(__always) var nextTick: Uptime { ticks.next }
    @inline(__always) var isFinished: Bool { ticks.isFinished }
    /// From tick to tick at present; `nil`: there are none.
    @inline(__always) var shortestInterval: Duration? { ticks.interval }

    /// Whether a tick of it is due.
    @inline(__always) func isDue(at now: Uptime) -> Bool { !link.phase.isPolling && now >= nextTick }

    /// Takes the tick that is due, if one is. While the last one's work goes on, what comes due is skipped and counted:
    /// polls never overlap.
    mutating func takeDue(at now: Uptime, isCoalescing: Bool = false) -> DueTick? {
        link.phase.isPolling ? nil : ticks.takeDue(at: now, isCoalescing: isCoalescing)
    }

    mutating func begin(_ tick: DueTick) {
        ticks.begin(tick)
        health.beginTick()
        contact.searched = .zero
    }

    mutating func endTick(good isGood: Bool) {
        ticks.end()
        health.endTick(good: isGood)
    }

    func untilNextTick(at now: Uptime) -> Duration? { nextTick == .never ? nil : nextTick - now }

    mutating func relink() -> Bool { ticks.relink() }
    mutating func dropTick() { ticks.drop() }
    mutating func pace(for mode: PowerMode, at now: Uptime) { ticks.pace(for: mode, at: now) }

    mutating func attend(_ isAttended: Bool, in mode: PowerMode, at now: Uptime) {
        ticks.attend(isAttended, in: mode, at: now)
    }

    mutating func adapt(to outcome: TickOutcome, in mode: PowerMode, at now: Uptime) {
        ticks.adapt(to: outcome, in: mode, at: now)
    }

    /// The machine has slept: one tick, and no pause from before counts.
    mutating func resume(at now: Uptime) {
        ticks.resume(at: now)
        retry.resume()
    }
}

/// When something was last heard of a device.
struct Contact: Sendable, Hashable {
    var lastHeardAt: Uptime?
    /// When a value of it last came.
    var readAt: Uptime?
    /// How long it has been searched for, in this tick and since it was found last.
    var searched: Duration = .zero
    /// When a search for it last failed, since it was found last.
    private(set) var searchedAt: Uptime?

    mutating func found(at now: Uptime) {
        lastHeardAt = now
        searched = .zero
        searchedAt = nil
    }

    /// A search for it failed.
    mutating func missed(after length: Duration, at now: Uptime) {
        searched += length
        searchedAt = now
    }

    func wasHeard(within window: Duration, of now: Uptime) -> Bool { lastHeardAt.map { now - $0 <= window } ?? false }

    /// Whether it was heard or read recently.
    func isNear(at now: Uptime) -> Bool {
        wasHeard(within: Timing.recently, of: now) || readAt.map { now - $0 <= Timing.recently } ?? false
    }
}

/// When a device may be tried again.
struct Retry: Sendable, Hashable {
    var backoff: Backoff
    var notBefore = Uptime.start
    /// Why only a person can help; `nil` when that is not so.
    var parked: ReadingFailure?

    init(seed: UInt64) { backoff = Backoff(seed: seed) }

    /// Whether nothing has failed since it was read.
    var isReliable: Bool { backoff.failures == 0 && parked == nil }

    /// Leaves the device alone for so long at least.
    mutating func wait(_ pause: Duration, at now: Uptime) { notBefore = max(notBefore, now + pause) }

    /// No pause from before the machine's sleep counts, but for what only a person can help.
    mutating func resume() { if parked == nil { notBefore = .start } }
}

/// What a device's earlier connections tell of the next one.
struct LinkHistory: Sendable, Hashable {
    /// Whether values came by themselves through the last one that was polled.
    var isSubscribed = false
    var bond = BondState()
    /// When other programs ended our connections.
    var endedByOthers: [Uptime] = []
    var endedLocally: LocalEnd?
    /// When its connection last ended by itself and no new one had anything to do with it.
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
}
