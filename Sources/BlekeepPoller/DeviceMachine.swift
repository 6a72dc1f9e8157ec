import DBus
import RunLoop

/// The life of one device: its connection, ticks, pauses, condition and pairing. Pure.
///
/// Its methods are what happens to the device. What it then asks for waits in `actions`, in order: `PollerState.update`
/// carries it out. What is decided between devices, such as their turns at an adapter, is in `PollerState`.
struct DeviceMachine: Sendable, DevicePart {
    let number: DeviceNumber
    /// The device's place in the configuration.
    var place: Int
    private(set) var plan: DevicePlan
    /// The device's state in BlueZ, with its adapter; `nil` when BlueZ doesn't know the device there.
    var facts: DeviceFacts? { didSet { isTouched = true } }
    /// The same for each adapter that knows the device.
    var known: [DeviceFacts] = []
    /// Which adapter the device is read with, where there are several.
    var ranking = AdapterRanking() { didSet { isTouched = true } }
    /// Whether BlueZ had keys for the device when it last knew it. It changes only together with `facts`.
    var isBonded = false
    var contact = Contact() { didSet { isTouched = true } }
    var link = LinkMachine() { didSet { isTouched = true } }
    var ticks: DeviceTicks { didSet { isTouched = true } }
    var retry: Retry { didSet { isTouched = true } }
    var health = Health()
    var history = LinkHistory()
    /// A connection that blekeep made but can't currently observe.
    var claim: LinkClaim? { didSet { isTouched = true } }
    /// Whether it was connected in the first snapshot of BlueZ, without another program's subscription, and still is.
    var isUpSinceStart = false
    /// The device's advertisements; `nil` when blekeep doesn't listen to the device.
    var listening: ListeningState? { didSet { isTouched = true } }
    /// Whether the device is left to another gateway when its connection ends.
    private var standsByAtLinkEnd = false
    /// Whether blekeep heard the device in the last minute; only while another gateway reads it.
    private(set) var isHeardOnStandby = false { didSet { isTouched = true } }
    /// Whether its snapshot, or what it waits for, may have changed.
    var isTouched = true
    /// The newest snapshot that was an effect.
    private var shown: DeviceSnapshot?
    /// What the device asks for, and `PollerState.update` hasn't carried out yet.
    var actions: [DeviceAction] = []

    init(number: DeviceNumber, place: Int, plan: DevicePlan, at start: Uptime) {
        self.number = number
        self.place = place
        self.plan = plan
        ticks = DeviceTicks(plan, at: start)
        retry = Retry(seed: plan.address.bits)
        listening = plan.mode.listens ? ListeningState(at: start) : nil
    }

    /// Returns what the device asks for, once.
    mutating func collectActions() -> [DeviceAction] {
        var taken: [DeviceAction] = []
        swap(&taken, &actions)
        return taken
    }

    mutating func ask(for effect: Effect) { actions.append(.effect(effect)) }

    mutating func note(_ level: Notice.Level, _ text: String) {
        ask(for: .notice(Notice(level: level, device: number, text: text)))
    }

    // MARK: State

    @inline(__always) var isConnected: Bool { facts?.isConnected ?? false }
    @inline(__always) var isBlocked: Bool { facts?.isBlocked ?? false }
    /// Whether BlueZ knows the device.
    @inline(__always) var isKnown: Bool { if case .some = facts { true } else { false } }
    /// Whether blekeep connects it by Low Energy only.
    var isConnectedByBearer: Bool { history.bearer == .lowEnergy && facts?.hasLowEnergyBearer == true }
    @inline(__always) var hasLeft: Bool { ticks.isOver }
    /// Whether no work is left for a device that has left the configuration.
    var isGone: Bool { hasLeft && link.phase == .released && claim == nil }

    var tick: DueTick? { ticks.current }
    @inline(__always) var hasTick: Bool { ticks.isInProgress }
    @inline(__always) var nextTick: Uptime { ticks.next }
    @inline(__always) var isFinished: Bool { ticks.isFinished }
    @inline(__always) var isPaused: Bool { ticks.isPaused }
    /// Whether another gateway reads the device.
    @inline(__always) var isStandingBy: Bool { ticks.isStandingBy && !ticks.isOver }
    /// The current time between ticks; `nil` when the device is paused.
    @inline(__always) var shortestInterval: Duration? { ticks.interval }
    @inline(__always) func isDue(at now: Uptime) -> Bool { !link.phase.isPolling && now >= nextTick }
    /// Whether its tick may come along with another device's.
    @inline(__always) func mayCoalesce(at now: Uptime) -> Bool { !link.phase.isPolling && now >= ticks.earliest }
    /// The number of the first tick that will still read.
    var nextRead: Int { hasTick && !link.phase.isPolling ? ticks.timer.taken : ticks.timer.taken + 1 }

    func untilNextTick(at now: Uptime) -> Duration? { nextTick == .never ? nil : nextTick - now }

    /// Returns the first cause that prevents polling the device.
    func cause(in around: Surroundings) -> ReadingFailure? {
        if let above = around.cause { return above }
        if let failure = retry.userActionNeeded { return failure }
        if let failure = around.adapter?.discoveryFailure, needsDiscovery { return failure }
        guard isHidden(in: around) else { return nil }
        return ReadingFailure(.power, "BlueZ has forgotten it, and blekeep doesn't search now: \(around.power.reason)")
    }

    /// Whether anything prevents polling the device: as `cause`, without making a sentence, because each step asks it.
    func isPrevented(in around: Surroundings) -> Bool {
        !around.isReady || retry.userActionNeeded != nil || around.adapter?.discoveryFailure != nil && needsDiscovery
            || isHidden(in: around)
    }

    /// Whether BlueZ doesn't know the device, and blekeep doesn't search for it now.
    private func isHidden(in around: Surroundings) -> Bool { facts == nil && !maySearch(in: around.power.mode) }

    /// Whether only a search can reach the device. Another program's may let blekeep hear it.
    private var needsDiscovery: Bool { (plan.mode.listens || !isKnown) && listening?.hasValue != true }

    /// Whether blekeep may search for the device: in critical power mode only during its tick.
    func maySearch(in mode: PowerMode) -> Bool { mode < .critical || hasTick }

    /// Whether the tick can't go on because of a state that a signal may have reported.
    private func isHeldUp(in around: Surroundings) -> Bool {
        if let outage = around.outage { return outage == .bluez }
        return !around.isReady || !isKnown || isBlocked || retry.userActionNeeded != nil
    }

    /// Returns the connection, and what blekeep does with it.
    var linkStatus: DeviceStatus.Link {
        let isOwn = link.phase.isOwn
        guard isConnected else {
            switch claim?.link {
            case .link?: return .held
            case .attempt?: return .connecting
            case nil: break
            }
            if isOwn { return .connecting }
            if isStandingBy { return isHeardOnStandby ? .listening : .searching }
            if plan.mode == .passive { return .listening }
            return hasTick && !isKnown ? .searching : .released
        }
        guard isOwn else { return .foreign }
        return switch link.phase {
        case .resolving: .resolving
        case .polling: .reading
        case .disconnecting: .closing
        case .released, .held, .connecting, .watching: .held
        }
    }

    /// Returns the newest snapshot, for the store.
    func snapshot(in mode: PowerMode) -> DeviceSnapshot {
        var snapshot = DeviceSnapshot.unknown
        snapshot.link = linkStatus
        snapshot.isInUse = link.phase.isOwn && isConnected && !link.phase.isDisconnecting
        (snapshot.hasTick, snapshot.nextTick, snapshot.notBefore) = (hasTick, nextTick, retry.notBefore)
        (snapshot.interval, snapshot.intervalReason) = (shortestInterval, intervalReason(in: mode))
        (snapshot.goodTicks, snapshot.failedTicks) = (health.goodTicks, health.failedTicks)
        (snapshot.missedTicks, snapshot.pausedUntil) = (ticks.missed, ticks.pausedUntil)
        (snapshot.adapter, snapshot.isBonded) = (ranking.chosen.map { String($0.name) }, isBonded)
        return snapshot
    }

    /// Returns the newest snapshot if it differs from the last one that this returned.
    mutating func newSnapshot(in mode: PowerMode) -> DeviceSnapshot? {
        let snapshot = snapshot(in: mode)
        if snapshot == shown { return nil }
        shown = snapshot
        return snapshot
    }

    private func intervalReason(in mode: PowerMode) -> DeviceStatus.IntervalReason {
        let planned = plan.shortestInterval
        if isStandingBy { return .standby }
        if isPaused { return .paused }
        guard shortestInterval != planned else { return .configured }
        return plan.powerIntervals.interval(of: planned, in: mode) != planned ? .power : .unchanged
    }

    // MARK: Time

    /// Time passed: does what is due.
    mutating func timePassed(in around: Surroundings) {
        let isResting = isPaused || isPrevented(in: around)
        listening?.rest(isResting, at: around.now)
        for wait in Wait.allCases where around.now >= end(of: wait, in: around) { pass(wait, in: around) }
    }

    /// Ends work with the connection that exceeded its deadline.
    private mutating func expire(in around: Surroundings) {
        let now = around.now
        switch link.phase {
        case .connecting(let attempt):
            if !attempt.isAnswered { actions.append(.slotDoubted(.retry)) }
            cancel(at: now)
            fail(
                .connect, as: ReadingFailure(.connect, "BlueZ didn't connect the device in time"), remedy: .retry,
                in: around)
        case .watching:
            abandonLink()
            fail(
                .connect, as: ReadingFailure(.connect, "another program's attempt to connect failed"), remedy: .retry,
                in: around)
        case .resolving:
            endConnection(at: now)
            fail(
                .resolve, as: ReadingFailure(.services, "BlueZ didn't resolve the services in 30 s"), remedy: .retry,
                in: around)
        case .disconnecting: connectionDidNotEnd(in: around)
        case .polling:
            abandonLink(staysUp: isConnected)
            pollEnded(PollResult(failures: 1, ending: .relink, failure: .usedUp), in: around)
        case .released, .held: break
        }
    }

    private mutating func beginTick(in around: Surroundings) {
        // `end(of: .tick)` has decided whether a tick that is due soon comes along.
        guard let due = ticks.takeDue(at: around.now, isCoalescing: true) else { return }
        if hasTick { endOverdueTick(in: around) }
        ticks.begin(due)
        health.beginTick()
        contact.searched = .zero
        actions.append(.tickBegan)
        if isHeldUp(in: around) { actions.append(.recheckSoon) }
        // The pause is longer than the tick.
        if retry.notBefore >= nextTick { giveUpTick(in: around) }
    }

    // MARK: Attempts

    /// Takes the end of an attempt, and reports it with the device's condition.
    mutating func report(_ attempt: Attempt, at now: Uptime) {
        health.record(attempt, at: now)
        ask(for: .attempt(number, attempt, health.condition))
    }

    mutating func fail(_ phase: Attempt.Phase, as failure: ReadingFailure, remedy: Remedy, in around: Surroundings) {
        let now = around.now
        health.remember(failure)
        // The device isn't at fault, so its pauses don't grow.
        if !around.isReady || remedy.policy.provesNothing && health.count(.waited) <= Timing.waitsUntilCounted {
            return retry.wait(Timing.afterRefusedDiscovery, at: now)
        }
        actions.append(.adapterFailed)
        if phase == .connect { actions.append(.notConnected(remedy)) }
        let isQuick = retry.backoff.isQuick && phase != .search
        let pause = max(retry.backoff.fail(), shortestPause(after: remedy))
        retry.wait(pause, at: now)
        // A held connection is made again between ticks, too.
        let nextTick = isQuick || around.isHeld ? nil : untilNextTick(at: now)
        report(Attempt(phase: phase, failure: failure, remedy: remedy, pause: pause, nextTick: nextTick), at: now)
        if !isQuick { giveUpTick(in: around) }
    }

    mutating func shortestPause(after remedy: Remedy) -> Duration {
        switch remedy.policy.pause {
        case .usual: .zero
        case .atLeast(let pause): pause
        case .whenRepeated(let pause): health.count(.cancelled) > 1 ? pause : .zero
        }
    }

    /// Pauses the device, because only the user can help, and reports what the user must do. blekeep tries it every
    /// 15 minutes, and as soon as something about it changes.
    mutating func waitForUser(
        _ phase: Attempt.Phase, as failure: ReadingFailure, remedy: Remedy, in around: Surroundings
    ) {
        retry.userActionNeeded = failure
        health.remember(failure)
        retry.notBefore = around.now + Timing.waitForUser
        report(Attempt(phase: phase, failure: failure, remedy: remedy, pause: Timing.waitForUser), at: around.now)
        giveUpTick(in: around)
    }

    /// Something changed that may have helped: the device is tried at once.
    mutating func endWaitForUser(at now: Uptime) {
        guard retry.userActionNeeded != nil else { return }
        retry.userActionNeeded = nil
        retry.notBefore = now
        note(.notice, "trying again, because the device's state in BlueZ changed")
    }

    /// The adapter may work again: a pause ends.
    mutating func adapterRecovered(at now: Uptime) {
        if retry.userActionNeeded == nil { retry.notBefore = min(retry.notBefore, now) }
    }

    // MARK: Ticks

    mutating func giveUpTick(in around: Surroundings) {
        guard let tick else { return }
        // Whether blekeep searches for the device, or has searched without hearing it.
        let isSought = !isKnown && around.adapter.map { $0.isSearching || contact.searched > .zero } ?? false
        let failure =
            cause(in: around) ?? health.lastFailure
            ?? (plan.mode.listens || isSought
                ? .notHeard : ReadingFailure(.late, "its turn didn't come in time"))
        ask(for: .failed(number, tick: tick.number, failure))
        let isLate = failure.code == .known(.late)
        if isLate, let shortage = around.adapter?.airShortage { actions.append(.turnMissed(shortage)) }
        if isLate, around.adapter?.lacksAirTime == true {
            health.remember(failure)
        } else if let attempt = health.giveUpTick(in: isSought ? .search : .read, failure, at: around.now) {
            ask(for: .attempt(number, attempt, health.condition))
        }
        endTick(.failed)
    }

    mutating func endTick(_ end: TickEnd) {
        guard let tick else { return }
        ticks.end()
        health.endTick(end)
        ask(for: .tickEnded(number, tick: tick.number, health.lastTickFailure))
    }

    /// Makes a tick due, unless the one in progress will still read.
    private mutating func requestTick(at now: Uptime) {
        if !hasTick || link.phase.isPolling { ticks.timer.request(at: now) }
    }

    // MARK: Polls

    /// Whether `useConnection` may have something to do. Most devices need nothing at most steps.
    @inline(__always) var mayUseConnection: Bool {
        link.phase.isIdle && (isBlocked || isConnected && needsConnection) && plan.mode != .passive
    }

    /// Whether an open connection has work: a tick, a subscription, or services that aren't resolved yet.
    @inline(__always) private var needsConnection: Bool {
        hasTick || link.isUnsubscribed || !(facts?.isResolved ?? false)
    }

    /// Begins what an open connection allows: waits for the services, or reads.
    mutating func useConnection(in around: Surroundings) {
        let now = around.now
        guard let facts, !(now < retry.notBefore && retry.userActionNeeded != nil) else { return }
        // BlueZ doesn't connect a blocked device.
        if facts.isBlocked, let failure = Remedy.blocked.userAction(for: plan.address) {
            waitForUser(.link, as: failure, remedy: .blocked, in: around)
        } else if !facts.isConnected {
        } else if !facts.isResolved {
            link.resolve(at: now)
        } else if hasTick, now >= retry.notBefore, let tick {
            poll(tick, at: facts.path, isHeld: around.isHeld, at: now)
        } else if link.isUnsubscribed, !hasTick {
            poll(.subscribing(at: now), at: facts.path, isHeld: true, at: now)
        }
    }

    private mutating func poll(_ tick: DueTick, at path: ObjectPath, isHeld: Bool, at now: Uptime) {
        if let late = ticks.polls(at: now) { ask(for: .timed(number, .lateness(late))) }
        link.poll(at: path, at: now)
        ask(for: .poll(number, link: link.number, path, tick, isHeld: isHeld))
    }

    /// A poll ended.
    ///
    /// - Parameter number: the number of the connection that it began on.
    mutating func polled(_ result: PollResult, on number: Int, in around: Surroundings) {
        guard link.polled(on: number) else { return }
        if !isConnected { abandonLink() }
        pollEnded(result, in: around)
    }

    private mutating func pollEnded(_ result: PollResult, in around: Surroundings) {
        let now = around.now
        health.missed(result.failure)
        if result.values > 0 { succeeded(result, at: now) }
        // The connection or the objects may be gone without a signal.
        if result.values == 0, result.failure != nil { actions.append(.recheckSoon) }
        if let ending = result.ending {
            if isConnected { endConnection(at: now) }
            let mayRelink = ticks.relink()
            if result.values == 0, mayRelink, !ending.policy.provesNothing { return }
            // Another connection is by classic Bluetooth, too.
            if ending.policy.connect == .switchBearer, let failure = result.failure {
                return notConnectedByBearer(failure, in: around)
            }
        }
        if result.misfits >= Timing.misfitsUntilUserNeeded,
            let failure = Remedy.stale.userAction(for: plan.address)
        {
            if forgetStale(in: around) { return }
            if isConnected { endConnection(at: now) }
            return waitForUser(.read, as: failure, remedy: .stale, in: around)
        }
        guard hasTick else { return }
        if result.values == 0, let failure = result.failure {
            // An answer of the device, even an error, shows that the adapter works.
            let mayBeAdapter = result.silences > 0 || result.ending?.policy.provesNothing == false
            if mayBeAdapter, around.isReady { actions.append(.adapterFailed) }
            pollFailed(failure, ending: result.ending, in: around)
        }
        let outcome: TickOutcome
        if result.values > 0 {
            endTick(.good)
            outcome = result.isNew ? .newData : .noData
        } else if let cause = result.skipped {
            if let attempt = health.skipTick(because: cause) {
                ask(for: .attempt(number, attempt, health.condition))
            }
            endTick(.skipped(cause))
            outcome = .noData
        } else {
            endTick(.failed)
            outcome = .failed
        }
        ticks.timer.adapt(to: outcome, in: around.power.mode, at: now)
        actions.append(.tickDone)
    }

    private mutating func pollFailed(_ failure: ReadingFailure, ending: Remedy?, in around: Surroundings) {
        health.remember(failure)
        guard around.isReady, ending?.policy.provesNothing != true else { return }
        let now = around.now
        let pause = retry.backoff.fail()
        retry.wait(pause, at: now)
        let nextTick = ending != nil && around.isHeld ? nil : untilNextTick(at: now)
        report(Attempt(phase: .read, failure: failure, remedy: ending, pause: pause, nextTick: nextTick), at: now)
    }

    private mutating func succeeded(_ result: PollResult, at now: Uptime) {
        contact.readAt = now
        history.isSubscribed = result.isSubscribed
        retry.backoff.succeed()
        actions.append(.adapterWorks)
        retry.notBefore = .start
        report(Attempt(phase: .read, failure: result.failure), at: now)
        // A connection that may still end because of lost keys proves nothing.
        if !(history.bond.isLost && history.bond.isYoung(at: now)) { retry.userActionNeeded = nil }
    }

    // MARK: Users

    mutating func commanded(_ action: DeviceCommand.Action, at now: Uptime) {
        switch action {
        case .poll, .write: tickRequested(at: now)
        case .pause(let length): paused(for: length, at: now)
        case .resume: resumed(at: now)
        case .standBy(let reason, let atLinkEnd): stoodBy(because: reason, atLinkEnd: atLinkEnd, at: now)
        case .takeOver(let reason): tookOver(because: reason, at: now)
        }
    }

    /// A user asked for a tick: it is due now, and a pause after a failure is short.
    mutating func tickRequested(at now: Uptime) {
        guard !isPaused else { return }
        retry.hurry(at: now)
        requestTick(at: now)
    }

    mutating func paused(for length: PauseLength, at now: Uptime) {
        let end = length.end(from: now)
        guard end > now, ticks.pausedUntil != end else { return }
        ticks.pause(until: end)
        let text = if case .time(let time) = length { "for \(DurationText.text(time))" } else { "until it is resumed" }
        note(.notice, "paused by a user \(text)")
        if isPaused {
            ticks.drop()
            letGo(at: now)
        }
    }

    /// A user ended the pause.
    mutating func resumed(at now: Uptime) {
        guard ticks.pausedUntil != nil else { return }
        ticks.endPause(at: now)
        note(.notice, "resumed by a user")
    }

    /// Another gateway reads the device from now on.
    ///
    /// - Parameter atLinkEnd: whether a connection goes on until it ends by itself.
    mutating func stoodBy(because reason: String, atLinkEnd: Bool, at now: Uptime) {
        guard plan.isShared, !ticks.isStandingBy, !hasLeft else { return }
        if atLinkEnd, link.phase.isOwn, isConnected {
            standsByAtLinkEnd = true
            note(.notice, "to be left to another gateway when the connection ends: \(reason)")
        } else {
            standBy(at: now)
            note(.notice, "left to another gateway: \(reason)")
        }
    }

    /// The connection ended: another gateway may wait for the device.
    mutating func standByAtLinkEnd(at now: Uptime) {
        guard standsByAtLinkEnd else { return }
        standBy(at: now)
        note(.notice, "left to another gateway")
    }

    private mutating func standBy(at now: Uptime) {
        standsByAtLinkEnd = false
        ticks.drop()
        ticks.standBy()
        letGo(at: now)
        actions.append(.listensAnew)
    }

    /// This gateway reads the device from now on.
    mutating func tookOver(because reason: String, at now: Uptime) {
        standsByAtLinkEnd = false
        guard ticks.isStandingBy, !hasLeft else { return }
        note(.notice, "read by this gateway: \(reason)")
        endStandby(at: now)
        actions.append(.listensAnew)
    }

    private mutating func endStandby(at now: Uptime) {
        isHeardOnStandby = false
        ticks.endStandby(at: now)
        retry.resume()
    }

    mutating func noteHearing() { if isStandingBy, !isHeardOnStandby { isHeardOnStandby = true } }

    /// A user began or stopped watching.
    mutating func watched(_ isWatched: Bool, in mode: PowerMode, at now: Uptime) {
        ticks.timer.setWatched(isWatched, in: mode, at: now)
    }

    mutating func powerChanged(to mode: PowerMode, at now: Uptime) { ticks.timer.pace(for: mode, at: now) }

    // MARK: Configurations

    /// Inherits the connection of the device itself, which was removed and is added again, and may still be disconnecting.
    mutating func inherit(from earlier: inout DeviceMachine) {
        defer { (earlier.link, earlier.claim, earlier.facts) = (LinkMachine(), nil, nil) }
        link = earlier.link
        claim = earlier.claim
        facts = earlier.facts
        (known, ranking) = (earlier.known, earlier.ranking)
        contact = earlier.contact
        isUpSinceStart = earlier.isUpSinceStart
    }

    /// The configuration of the device changed.
    ///
    /// - Parameter fitsConnection: whether an open connection fits the new plan, too.
    mutating func replanned(_ plan: DevicePlan, fitsConnection: Bool, in mode: PowerMode, at now: Uptime) {
        self.plan = plan
        if !plan.isShared {
            standsByAtLinkEnd = false
            if ticks.isStandingBy { endStandby(at: now) }
        }
        ticks.timer.change(to: plan.ticks, in: mode, at: now)
        listening = plan.mode.listens ? listening ?? ListeningState(at: now) : nil
        let hadTick = hasTick
        ticks.drop()
        if fitsConnection {
            if link.phase.isPolling { abandonLink(staysUp: isConnected) }
            if isConnected { link.unsubscribed() }
        } else {
            letGo(at: now)
        }
        if hadTick || !fitsConnection, !isPaused { requestTick(at: now) }
        retry.hurry(at: now)
    }

    /// The device has left the configuration. It lives on while it disconnects.
    mutating func left(at now: Uptime) {
        ticks.drop()
        ticks.close()
        listening = nil
        letGo(at: now)
    }

    /// Continues from what an earlier run of blekeep left, before the first step.
    mutating func inherit(_ earlier: Inheritance.Device, at now: Uptime) {
        if let condition = earlier.condition { health.resume(condition) }
        if let pause = earlier.pause { ticks.pause(until: pause.end(from: now)) }
        if let claim = earlier.claim { self.claim = LinkClaim(link: claim, isInherited: true) }
        listening?.isTriggered = earlier.identity?.habit.isTriggered ?? false
    }

    // MARK: Sleep

    /// The machine is awake. What BlueZ reported before is void, and a tick is due.
    mutating func awoke(at now: Uptime) {
        giveUpAttempt(at: now)
        ticks.drop()
        // blekeep's own connections may have survived the sleep.
        keepClaim()
        (facts, known) = (nil, [])
        loseSight()
        ticks.timer.resume(at: now)
        retry.resume()
    }
}

extension DeviceMachine: Waiting {
    enum Wait: CaseIterable {
        /// A user's pause. The tick that it held back comes in the same step.
        case userPause
        /// How long the device counts as heard, while another gateway reads it.
        case hearing
        /// The phase of the connection. Before the next tick, because its failure belongs to the tick in progress.
        case phase
        /// A tick of a run with an end, which may not wait for ever. Before the next tick, for the same reason.
        case oneOffTick
        case tick
        /// A value that the device advertises. After the next tick, which what was heard before it may end at once.
        case advertisement
        /// The pause after a failure.
        case retry
        /// The attempt to connect, which may end for other devices from then on.
        case turn
        /// When discovery may be needed to hear the device, or not any more.
        case listening
    }

    func end(of wait: Wait, in around: Surroundings) -> Uptime {
        // A poll has all that is due before it. Ticks are skipped and counted meanwhile, so that polls never overlap.
        if link.phase.isPolling, wait != .phase { return .never }
        return switch wait {
        case .userPause: ticks.pausedUntil ?? .never
        case .hearing: isHeardOnStandby ? (contact.lastHeardAt ?? .start) + Timing.heardOnStandby : .never
        case .phase: link.phase.deadline ?? .never
        case .oneOffTick: oneOffTickEnd(in: around)
        case .tick: around.areTicksDue ? ticks.earliest : nextTick
        case .advertisement: listeningEnd(in: around)
        case .retry: link.phase.isIdle ? retry.notBefore.whileAhead(of: around.now) : .never
        case .turn: link.turnEnd?.whileAhead(of: around.now) ?? .never
        case .listening: nextListening(after: around.now)?.whileAhead(of: around.now) ?? .never
        }
    }

    private func oneOffTickEnd(in around: Surroundings) -> Uptime {
        guard plan.isOneOff, let tick else { return .never }
        return tick.deadline + (around.isReady ? max(Timing.oneOffTick, plan.shortestInterval) : Timing.oneOffOutage)
    }

    private mutating func pass(_ wait: Wait, in around: Surroundings) {
        switch wait {
        case .userPause:
            ticks.endPause(at: around.now)
            note(.notice, "resumed, because the user's pause is over")
        case .hearing: isHeardOnStandby = false
        case .phase: expire(in: around)
        case .oneOffTick: giveUpTick(in: around)
        case .tick: beginTick(in: around)
        case .advertisement: endListening(in: around)
        case .retry, .turn, .listening: break
        }
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

    mutating func wait(_ pause: Duration, at now: Uptime) { notBefore = max(notBefore, now + pause) }

    /// Shortens the pause, because a user asked for a tick.
    mutating func hurry(at now: Uptime) { notBefore = min(notBefore, now + Timing.afterLoss) }

    /// Ends the pause after the machine's sleep, unless only the user can help.
    mutating func resume() { if userActionNeeded == nil { notBefore = .start } }
}

/// The pauses after failures: three quick attempts, then from 1 s doubling to 300 s. A jitter, fixed by the seed, spreads
/// devices. Only a successful read resets the pauses.
struct Backoff: Sendable, Hashable {
    static let quickTries = 3
    private(set) var failures = 0
    /// The number of attempts that gave way early, since the last read. They say nothing of the device, but pauses grow.
    private var yields = 0
    private let seed: UInt64

    init(seed: UInt64) { self.seed = seed }

    /// Whether a short pause follows the next failure.
    var isQuick: Bool { failures + yields < Self.quickTries }

    mutating func succeed() { (failures, yields) = (0, 0) }

    /// Counts a failure, and returns the pause before the next attempt.
    mutating func fail() -> Duration {
        failures += 1
        return pause
    }

    /// Counts an attempt that gave way before it could fail, and returns the pause before the next one.
    mutating func giveWay() -> Duration {
        yields += 1
        return pause
    }

    private var pause: Duration {
        let tries = failures + yields
        let jitter = Double(SplitMix64.number(seed: seed &+ UInt64(tries)) >> 11) / Double(1 << 53)
        guard tries > Self.quickTries else { return .milliseconds(250 + Int(250 * jitter)) }
        let ceiling = min(300, 1 << min(tries - Self.quickTries - 1, 9))
        return .milliseconds(Int(Double(ceiling) * 500 * (1 + jitter)))
    }
}

/// What a device asks for.
enum DeviceAction: Sendable {
    case effect(Effect)
    case tickBegan
    /// The work of its tick is done: its connection ends, unless it is held.
    case tickDone
    /// A tick ended because its turn didn't come in time, and the adapter lacks air time for all its devices.
    case turnMissed(AirShortage)
    /// An attempt failed, and the adapter may be the cause.
    case adapterFailed
    /// A tick ended in which blekeep didn't hear the device, as it did before.
    case silent
    /// A tick ended in which blekeep listened to the device.
    case listened(heard: Bool)
    /// A value came.
    case adapterWorks
    /// An attempt to connect failed.
    case notConnected(Remedy)
    /// An attempt to connect failed, perhaps because the adapter has no slot.
    case slotDoubted(Remedy)
    /// The device is connected, by whichever program.
    case connected
    /// BlueZ resolved the services of a connection that blekeep waited for.
    case resolved
    /// Its connection ended by itself, perhaps to make room for a new one.
    case dropped
    /// Which advertisements matter is another matter now.
    case listensAnew
    /// BlueZ found the device.
    case found
    /// BlueZ's report of the device is to be checked, because a tick needs the truth.
    case recheckSoon
    /// BlueZ reported a state of the device. One that holds up ticks is checked later.
    case reported(isHeldUp: Bool)
}

/// What a device must know of its surroundings: the time, the power, bluetoothd, and its adapter.
struct Surroundings: Sendable {
    let now: Uptime
    let power: PowerStatus
    /// The outage that prevents polling of all devices.
    let outage: Outage?
    /// The device's adapter; `nil` when the machine doesn't have it.
    let adapter: Adapter?
    /// Whether the device's connection is held between its ticks.
    let isHeld: Bool
    /// Whether its adapter listens without a pause.
    let listensOpenly: Bool
    /// Whether the tick of any device is due. Then a tick that is due soon comes along, so that the machine sleeps longer.
    let areTicksDue: Bool
    let maxSearch: Duration
    /// The recovery steps that the user allowed.
    let allowed: Set<RecoveryStep>

    struct Adapter: Sendable {
        let path: ObjectPath
        let isPowered: Bool
        /// Whether a search is on, begins or ends.
        let isSearching: Bool
        /// BlueZ's reported refusal to search.
        let discoveryFailure: ReadingFailure?
        /// The lack of air time that a tick without a turn would show; `nil` without one.
        let airShortage: AirShortage?
        /// Whether a lack of air time is known, or would be shown.
        let lacksAirTime: Bool
    }

    /// Whether bluetoothd and the adapter work.
    var isReady: Bool { outage == nil && adapter?.isPowered == true }

    /// The cause that isn't the device's fault: the bus, bluetoothd or the adapter, in this order.
    var cause: ReadingFailure? {
        if let outage { return outage.failure }
        guard let adapter else { return ReadingFailure(.noAdapter, "the machine doesn't have this Bluetooth adapter") }
        if adapter.isPowered { return nil }
        return ReadingFailure(
            .adapterOff, "the adapter \(adapter.path.name) is off; turn it on with bluetoothctl power on")
    }
}
