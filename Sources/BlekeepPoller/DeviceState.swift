import DBus
import RunLoop

/// The keeper's state of a device.
///
/// Properties that each step reads from all devices are inlined, because a call would copy the state.
struct DeviceState: Sendable {
    let id: DeviceIndex
    /// The device's place in the configuration.
    var place: Int
    private(set) var plan: DevicePlan
    /// The device's state in BlueZ; `nil` when BlueZ doesn't know the device.
    var facts: DeviceFacts? { didSet { isTouched = true } }
    var contact = Contact()
    var link = LinkMachine() { didSet { isTouched = true } }
    private(set) var ticks: DeviceTicks { didSet { isTouched = true } }
    var retry: Retry { didSet { isTouched = true } }
    var health = Health()
    var history = LinkHistory()
    /// The device's advertisements; `nil` when blekeep doesn't listen to the device.
    var listening: ListeningState?
    /// Whether its snapshot may have changed.
    var isTouched = true

    init(id: DeviceIndex, place: Int, plan: DevicePlan, at start: Uptime) {
        self.id = id
        self.place = place
        self.plan = plan
        ticks = DeviceTicks(plan, at: start)
        retry = Retry(seed: plan.address.bits)
        listening = plan.mode.listens ? ListeningState(at: start) : nil
    }

    /// Takes over the connection of the device that had this number before. It may be the same device.
    mutating func inherit(from earlier: DeviceState) {
        link = earlier.link
        guard earlier.plan.address == plan.address else { return }
        facts = earlier.facts
        contact = earlier.contact
    }

    /// Takes a new plan for the same device.
    mutating func change(to plan: DevicePlan, in mode: PowerMode, at now: Uptime) {
        self.plan = plan
        ticks.change(to: plan, in: mode, at: now)
        listening = plan.mode.listens ? listening ?? ListeningState(at: now) : nil
        isTouched = true
    }

    /// Whether the device has left the configuration.
    @inline(__always) var hasLeft: Bool { ticks.isOver }

    /// Takes the device's absence from the configuration.
    mutating func leave() {
        ticks.drop()
        ticks.close()
        listening = nil
    }

    @inline(__always) var isConnected: Bool { facts?.isConnected ?? false }
    @inline(__always) var isBlocked: Bool { facts?.isBlocked ?? false }
    /// Whether BlueZ knows the device.
    @inline(__always) var isKnown: Bool { if case .some = facts { true } else { false } }
    /// Whether blekeep connects it by Low Energy only.
    var isConnectedByBearer: Bool { history.bearer == .lowEnergy && facts?.hasLowEnergyBearer == true }
    /// Whether an open connection has work: a tick, a subscription, or services that aren't resolved yet.
    @inline(__always) var needsLink: Bool { hasTick || link.isUnsubscribed || !(facts?.isResolved ?? false) }

    // MARK: Ticks

    var tick: DueTick? { ticks.current }
    @inline(__always) var hasTick: Bool { ticks.isInProgress }
    @inline(__always) var nextTick: Uptime { ticks.next }
    @inline(__always) var isFinished: Bool { ticks.isFinished }
    /// The current time between ticks; `nil` when the device is paused.
    @inline(__always) var shortestInterval: Duration? { ticks.interval }

    @inline(__always) func isDue(at now: Uptime) -> Bool { !link.phase.isPolling && now >= nextTick }

    /// Takes a due tick. While a poll is in progress, due ticks are skipped and counted, so that polls never overlap.
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

    @inline(__always) var isPaused: Bool { ticks.isPaused }

    /// Makes a tick due, unless the one in progress will still read.
    mutating func requestTick(at now: Uptime) { if !hasTick || link.phase.isPolling { ticks.request(at: now) } }

    /// The number of the first tick that will still read.
    var nextRead: Int { hasTick && !link.phase.isPolling ? ticks.taken : ticks.taken + 1 }

    mutating func pause(until end: Uptime) { ticks.pause(until: end) }
    mutating func endPause(at now: Uptime) { ticks.endPause(at: now) }

    func untilNextTick(at now: Uptime) -> Duration? { nextTick == .never ? nil : nextTick - now }

    mutating func relink() -> Bool { ticks.relink() }
    mutating func polls(at now: Uptime) -> Duration? { ticks.polls(at: now) }
    mutating func dropTick() { ticks.drop() }
    mutating func pace(for mode: PowerMode, at now: Uptime) { ticks.pace(for: mode, at: now) }

    mutating func setWatched(_ isWatched: Bool, in mode: PowerMode, at now: Uptime) {
        ticks.setWatched(isWatched, in: mode, at: now)
    }

    mutating func adapt(to outcome: TickOutcome, in mode: PowerMode, at now: Uptime) {
        ticks.adapt(to: outcome, in: mode, at: now)
    }

    /// Makes a tick due after the machine's sleep, and ends earlier pauses.
    mutating func resume(at now: Uptime) {
        ticks.resume(at: now)
        retry.resume()
    }
}

/// The last contacts with a device.
struct Contact: Sendable, Hashable {
    var lastHeardAt: Uptime?
    /// When the last value came.
    var readAt: Uptime?
    /// The length of searches in this tick, since BlueZ last found the device.
    var searched: Duration = .zero
    /// When the last search failed, since BlueZ last found the device.
    private(set) var searchedAt: Uptime?

    mutating func found(at now: Uptime) {
        lastHeardAt = now
        searched = .zero
        searchedAt = nil
    }

    /// Records a failed search.
    mutating func missed(after length: Duration, at now: Uptime) {
        searched += length
        searchedAt = now
    }

    func wasHeard(within window: Duration, of now: Uptime) -> Bool { lastHeardAt.map { now - $0 <= window } ?? false }

    /// Whether blekeep heard or read the device recently.
    func isNear(at now: Uptime) -> Bool {
        wasHeard(within: Timing.recently, of: now) || readAt.map { now - $0 <= Timing.recently } ?? false
    }
}

/// The pause before the next attempt.
struct Retry: Sendable, Hashable {
    var backoff: Backoff
    var notBefore = Uptime.start
    /// The failure that only the user can repair; `nil` without one.
    var userActionNeeded: ReadingFailure?

    init(seed: UInt64) { backoff = Backoff(seed: seed) }

    /// Whether nothing failed since the last read.
    var isReliable: Bool { backoff.failures == 0 && userActionNeeded == nil }

    /// Waits at least for `pause`.
    mutating func wait(_ pause: Duration, at now: Uptime) { notBefore = max(notBefore, now + pause) }

    /// Shortens the pause, because a user asked for a tick.
    mutating func hurry(at now: Uptime) { notBefore = min(notBefore, now + Timing.afterLoss) }

    /// Ends the pause after the machine's sleep, unless only the user can help.
    mutating func resume() { if userActionNeeded == nil { notBefore = .start } }
}

/// The history of a device's connections.
struct LinkHistory: Sendable, Hashable {
    /// Whether the last polled connection had subscriptions.
    var isSubscribed = false
    var bond = BondState()
    /// When other programs ended blekeep's connections.
    var endedByOthers: [Uptime] = []
    var endedLocally: LocalEnd?
    /// When a connection last ended by itself, other than to make room for a new one.
    var lostAt: Uptime?
    /// The number of connections that ended by themselves.
    var drops = 0
    var bearer = Bearer.usual
    /// When blekeep last removed the device from BlueZ's cache.
    var forgottenAt: Uptime?

    /// How blekeep connects a device with which BlueZ tries classic Bluetooth.
    enum Bearer: Sendable, Hashable {
        case usual
        case lowEnergy
        /// The usual way, with BlueZ's preference for Low Energy.
        case preferred
    }
}

/// The pauses after failures: three quick attempts, then from 1 s doubling to 300 s. A jitter, fixed by the seed, spreads
/// devices. Only a successful read resets the pauses.
struct Backoff: Sendable, Hashable {
    static let quickTries = 3
    private(set) var failures = 0
    private let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
    }

    /// Whether a short pause follows the next failure.
    var isQuick: Bool { failures < Self.quickTries }

    mutating func succeed() { failures = 0 }

    /// Counts a failure, and returns the pause before the next attempt.
    mutating func fail() -> Duration {
        failures += 1
        let jitter = Double(SplitMix64.number(seed: seed &+ UInt64(failures)) >> 11) / Double(1 << 53)
        guard failures > Self.quickTries else { return .milliseconds(250 + Int(250 * jitter)) }
        let ceiling = min(300, 1 << min(failures - Self.quickTries - 1, 9))
        return .milliseconds(Int(Double(ceiling) * 500 * (1 + jitter)))
    }
}
