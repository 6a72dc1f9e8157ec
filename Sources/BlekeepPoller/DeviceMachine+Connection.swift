import DBus
import RunLoop

/// The device's connection. BlueZ's properties count, not its replies.
extension DeviceMachine {
    // MARK: Reports of BlueZ

    /// BlueZ reported the device's state: `nil` when it doesn't know the device.
    mutating func reported(_ facts: DeviceFacts?, in around: Surroundings) {
        let now = around.now
        let before = self.facts
        self.facts = facts
        if plan.mode != .passive {
            let isHeldUp = facts.map { $0.isBlocked || $0.isConnected && !$0.isResolved } ?? hasTick
            actions.append(.reported(isHeldUp: isHeldUp))
        }
        if facts?.isConnected != true { isUpSinceStart = false }
        guard let facts else {
            if before != nil { vanished(in: around) }
            return
        }
        // Kept while bluetoothd is away.
        isBonded = facts.isPaired
        if before == nil {
            contact.found(at: now)
            noteHearing()
            actions.append(.found)
        }
        if let before, before.isPaired != facts.isPaired || before.isBlocked && !facts.isBlocked {
            endWaitForUser(at: now)
        }
        if before?.isConnected == true, !facts.isConnected, retry.userActionNeeded == .endless {
            endWaitForUser(at: now)
        }
        if before?.isConnected != true, facts.isConnected {
            history.bond.linkMade(at: now)
            if before != nil { actions.append(.connected) }
            // Before `cameUp` ends the attempt.
            if link.phase.isConnecting { ask(for: .timed(number, .connect(now - link.triedAt))) }
        }
        if let before, before.isPaired != facts.isPaired { history.bond = BondState() }
        if facts.isConnected {
            // A claim then makes the phase of the connection blekeep's own.
            link.cameUp(at: now)
            adoptClaim(at: now)
        } else if claim?.link == .link {
            // The next connection may be another program's.
            claim = nil
        }
        if facts.isConnected, facts.isResolved, link.resolved() {
            health.reset(.refused)
            actions.append(.resolved)
        }
        if facts.isConnected { return }
        // Also for a device that wasn't connected: that blekeep asked for the end is over.
        let isOwnEnd = link.ended()
        guard before?.isConnected == true else { return }
        if isOwnEnd { connectionClosed() } else { connectionLost(in: around) }
        // At last: the connection that ended was still this gateway's.
        standByAtLinkEnd(at: now)
    }

    /// Handles the removal of a device's object. After a failed attempt, BlueZ removes it without a reply.
    private mutating func vanished(in around: Surroundings) {
        let phase = link.phase
        abandonLink()
        switch phase {
        case .connecting, .watching:
            fail(
                .connect, as: ReadingFailure(.connect, "BlueZ couldn't connect the device"), remedy: .rediscover,
                in: around)
        case .resolving, .polling:
            fail(.link, as: ReadingFailure(.vanished, "BlueZ forgot the device"), remedy: .rediscover, in: around)
        case .released, .held, .disconnecting: break
        }
    }

    /// A snapshot of BlueZ is complete.
    mutating func snapshotEnded() {
        if !isConnected, link.phase.isDisconnecting { abandonLink() }
    }

    /// bluetoothd or the bus is lost.
    mutating func lost(_ outage: Outage) {
        if outage != .bluez { keepClaim() }
        (facts, known) = (nil, [])
        if outage == .hung { loseSight() } else { abandonLink() }
    }

    /// A connection is about to end, for this reason.
    mutating func willEnd(_ end: LinkEnd) { link.expectEnd(end) }

    /// The connection to the bus is a new one, and subscriptions ended with the old one.
    mutating func busRenewed() { if isConnected { link.unsubscribed() } }

    /// The connection to the bus is about to be replaced: reads on it end. The tick goes on later.
    mutating func busWillBeRenewed() {
        if link.phase.isPolling { abandonLink(staysUp: isConnected) }
    }

    // MARK: Adapters

    /// What counts of what BlueZ knows: a connection or an attempt stays where it is, also another program's, and ends when
    /// BlueZ forgets that object. Else the adapter decides that the ranking chose.
    var factsThatCount: DeviceFacts? {
        if !mayMove, let facts { return known.first { $0.path == facts.path } }
        if let connected = known.first(where: \.isConnected) { return connected }
        guard let chosen = ranking.chosen else { return known.first }
        return known.first { $0.adapter == chosen }
    }

    /// Whether another adapter may read the device: there is no connection, and no attempt to make one.
    var mayMove: Bool { link.phase.isIdle && !isConnected && claim == nil }

    /// BlueZ reported its adapters.
    mutating func adaptersReported(_ adapters: [ObjectPath]) {
        if let gone = ranking.retain(adapters) { note(.notice, "its adapter \(gone.name) is gone") }
    }

    /// Chooses the adapter to read the device with.
    ///
    /// - Parameters:
    ///   - adapters: those that may do so; not empty.
    ///   - current: its present one.
    mutating func chooseAdapter(among adapters: [ObjectPath], current: ObjectPath?, at now: Uptime) {
        // Keys belong to an adapter.
        let bonded = known.first(where: \.isPaired)?.adapter
        let chosen = ranking.choose(
            among: bonded.map { [$0] } ?? adapters, current: current, knowing: known.map(\.adapter), at: now)
        guard let current, chosen != current else { return }
        note(
            ranking.moves.nonzeroBitCount == 1 ? .notice : .debug,
            "read with the adapter \(chosen.name) from now on, not with \(current.name): \(ranking.reason)")
    }

    // MARK: Attempts

    /// The device's turn came: it is to be connected.
    mutating func connect(within length: Duration, at now: Uptime) {
        guard let path = facts?.path else { return }
        link.connect(within: length + .seconds(1), isAhead: !hasTick, at: now)
        ask(for: .connect(number, link: link.number, path, within: length))
    }

    /// BlueZ replied to Connect.
    ///
    /// - Parameter slots: of the adapter; `nil` without an adapter.
    mutating func connectAnswered(_ error: BusError?, slots: Slots?, in around: Surroundings) {
        let now = around.now
        guard let error else { return link.accept(at: now) }
        let (remedy, failure) = (Remedy(error), ReadingFailure(connect: error))
        switch remedy.policy.connect {
        case .adopt:
            link.adopt(at: now)
            // BlueZ's signal about the connection may be lost.
            actions.append(.recheckSoon)
        case .watch: link.watch(at: now)
        case .switchBearer:
            abandonLink()
            notConnectedByBearer(failure, in: around)
        case .search where hasNoBearer(error):
            abandonLink()
            notConnectedByBearer(failure, in: around)
        case .askUser:
            abandonLink()
            if let failure = remedy.userAction(for: plan.address) {
                waitForUser(.connect, as: failure, remedy: remedy, in: around)
            }
        case .pause:
            abandonLink()
            fail(.connect, as: failure, remedy: remedy, in: around)
        case .retry, .search:
            cancel(at: now)
            if isAdapterToBlame(remedy, slots: slots, at: now) {
                refusedByAdapter(failure, remedy: remedy, at: now)
            } else {
                fail(.connect, as: failure, remedy: remedy, in: around)
            }
        }
    }

    /// Whether an error of Connect may show that the adapter has no slot.
    func mayLackSlot(_ error: BusError) -> Bool {
        switch Remedy(error).policy.connect {
        case .retry: true
        case .search: !hasNoBearer(error)
        case .adopt, .watch, .switchBearer, .askUser, .pause: false
        }
    }

    /// Whether the adapter, not the device, caused a failure: the device is in range, or the attempt ended too soon.
    func isRefusal(at now: Uptime) -> Bool {
        contact.wasHeard(within: Timing.recently, of: now) || now - link.triedAt < Timing.prompt
    }

    /// Whether the adapter has, or may have, no slot for the device. After some refusals, the device itself counts as the
    /// cause.
    private mutating func isAdapterToBlame(_ remedy: Remedy, slots: Slots?, at now: Uptime) -> Bool {
        let isInDoubt =
            switch remedy.policy.mayLackSlot {
            case .none: false
            case .ifPrompt: now - link.triedAt < Timing.prompt
            case .certain: true
            }
        guard isInDoubt, let slots else { return false }
        // None of blekeep's connections needs to end for it.
        if slots.own == 0 { return slots.areFull }
        guard slots.links >= SlotBudget.fewest, health.count(.refused) <= SlotBudget.proof else { return false }
        return slots.areFull || !retry.backoff.isQuick
    }

    /// Takes an attempt for which the adapter had no slot. The device's pauses don't grow.
    private mutating func refusedByAdapter(_ failure: ReadingFailure, remedy: Remedy, at now: Uptime) {
        health.remember(failure)
        let pause = max(.milliseconds(500), shortestPause(after: remedy))
        retry.wait(pause, at: now)
        report(Attempt(phase: .connect, failure: failure, remedy: remedy, pause: pause), at: now)
    }

    /// Other devices wait: an attempt ends. One before its tick has a pause even if it was too short to fail, so that it
    /// doesn't come again and again. The pause doesn't delay the tick.
    mutating func gaveWay(in around: Surroundings) {
        let isOver = around.now - link.triedAt >= Timing.minimumAttempt
        cancel(at: around.now)
        if isOver {
            fail(
                .connect,
                as: ReadingFailure(.connect, "blekeep stopped connecting to give other devices a turn"),
                remedy: .retry, in: around)
        } else if !hasTick {
            let pause = retry.backoff.giveWay()
            retry.wait(min(pause, untilNextTick(at: around.now) ?? pause), at: around.now)
        }
    }

    /// A search of this length didn't find the device.
    mutating func notFound(after length: Duration, in around: Surroundings) {
        contact.missed(after: length, at: around.now)
        if contact.searched >= around.maxSearch {
            contact.searched = .zero
            fail(.search, as: .notHeard, remedy: .rediscover, in: around)
        }
    }

    // MARK: Ends by blekeep

    /// Ends blekeep's own connection. Of another program's connection, ends only the work on it.
    mutating func endConnection(at now: Uptime) {
        guard let facts, link.disconnect(at: now) else { return abandonLink() }
        ask(for: .disconnect(number, link: link.number, facts.path))
    }

    /// Cancels an attempt, and waits for its end before the next one.
    mutating func cancel(at now: Uptime) {
        let attempt = link.number
        abandonLink()
        guard let facts else { return }
        link.waitForEnd(within: Timing.afterCancel, at: now)
        ask(for: .disconnect(number, link: attempt, facts.path))
    }

    /// Cancels an attempt if one is in progress.
    mutating func giveUpAttempt(at now: Uptime) { if link.phase.isConnecting { cancel(at: now) } }

    /// Ends the connection, or the attempt to make it.
    mutating func letGo(at now: Uptime) {
        switch link.phase {
        case .disconnecting: break
        case .connecting: cancel(at: now)
        case .released, .held, .watching, .resolving, .polling:
            if isConnected {
                endConnection(at: now)
            } else if link.phase.isPolling {
                // BlueZ may take its time to answer a read after the end of the connection.
                abandonLink()
            }
        }
    }

    /// Ends all work on a connection.
    mutating func abandonLink(staysUp: Bool = false) {
        if let path = link.abandon(staysUp: staysUp) { ask(for: .abandon(number, path)) }
    }

    /// Ends all work on a connection during an outage, unless it is disconnecting.
    mutating func loseSight() { if !link.phase.isDisconnecting { abandonLink() } }

    /// A connection didn't end in time.
    mutating func connectionDidNotEnd(in around: Surroundings) {
        abandonLink(staysUp: isConnected)
        guard isConnected else { return }
        actions.append(.recheckSoon)
        guard health.count(.endless) >= Timing.endlessUntilUserNeeded else { return }
        waitForUser(.link, as: .endless, remedy: .relink, in: around)
    }

    /// Returns a line for the log about a transition that must not be, with their number; `nil` when there was none.
    mutating func collectViolation() -> Effect? {
        guard let violation = link.collectViolation(isConnected: isConnected) else { return nil }
        history.violations += 1
        let level: Notice.Level = history.violations.nonzeroBitCount == 1 ? .warning : .debug
        let text = "unexpected state no. \(history.violations), please report it: \(violation)"
        return .notice(Notice(level: level, device: number, text: text))
    }

    // MARK: Ended connections

    /// blekeep's own disconnect ended the connection.
    private mutating func connectionClosed() {
        health.reset(.endless)
        history.bond.linkEnded()
        abandonLink()
    }

    /// The connection ended by itself.
    private mutating func connectionLost(in around: Surroundings) {
        let now = around.now
        let (phase, end) = (link.phase, link.end)
        noteDrop(end)
        if losesBond(at: end, in: around) { return }
        actions.append(.dropped)
        if endedOnThisMachine(end, in: around) {
            abandonLink()
            return waitForUser(.link, as: .contended, remedy: .backOff, in: around)
        }
        // A poll in progress ends by itself, and then reports the failure.
        if case .polling = phase { return }
        abandonLink()
        if case .resolving = phase {
            fail(.resolve, as: ReadingFailure(.dropped, "the connection ended at once"), remedy: .retry, in: around)
        } else {
            report(Attempt(phase: .link, failure: ReadingFailure(.dropped, end.message)), at: now)
        }
    }

    /// The log reports the 1st, 2nd, 4th, 8th … lost connection of a device.
    private mutating func noteDrop(_ end: LinkEnd) {
        history.drops += 1
        let times = history.drops == 1 ? "" : " (\(history.drops) times)"
        let reason = end == .unknown ? "" : ": \(end.message)"
        note(history.drops.nonzeroBitCount == 1 ? .notice : .debug, "connection lost\(times)\(reason)")
    }

    /// Starts the pause after a connection ended.
    /// Returns whether another program ended the device's connections repeatedly.
    private mutating func endedOnThisMachine(_ end: LinkEnd, in around: Surroundings) -> Bool {
        let now = around.now
        guard end == .local, let adapter = around.adapter, adapter.isPowered else {
            retry.wait(end == .local ? Timing.afterLoss : end.pause, at: now)
            return false
        }
        history.endedLocally = LocalEnd(time: now, adapter: adapter.path, notBefore: retry.notBefore)
        retry.wait(end.pause, at: now)
        guard link.phase.isOwn else { return false }
        history.endedByOthers.removeAll { now - $0 > Timing.contention.within }
        history.endedByOthers.append(now)
        return history.endedByOthers.count >= Timing.contention.ends
    }

    /// An adapter stopped, or bluetoothd with all adapters (`nil`). A connection that just ended had the same cause:
    /// bluetoothd gives the same reason as for another program, and reports the adapter only afterwards.
    mutating func adapterStopped(_ path: ObjectPath?, at now: Uptime) {
        guard let end = history.endedLocally, path == nil || end.adapter == path else { return }
        history.endedLocally = nil
        guard now - end.time <= Timing.sameCause else { return }
        history.endedByOthers.removeAll { $0 == end.time }
        if retry.userActionNeeded == .contended { endWaitForUser(at: now) }
        if retry.userActionNeeded == nil { retry.notBefore = max(end.notBefore, now + Timing.afterLoss) }
    }

    // MARK: Pairing

    /// Returns whether a connection that just ended shows lost keys. The device then waits for the user.
    private mutating func losesBond(at end: LinkEnd, in around: Surroundings) -> Bool {
        let isPaired = facts?.isPaired == true
        history.bond.linkLost(isPaired: isPaired, at: around.now)
        // A device that blekeep only listens to needs none.
        guard isPaired, plan.mode != .passive, history.bond.isLost || end == .authentication,
            let failure = Remedy.rebond.userAction(for: plan.address)
        else { return false }
        abandonLink()
        waitForUser(.link, as: failure, remedy: .rebond, in: around)
        return true
    }

    /// Whether the device is being connected, or just was.
    func isBeingConnected(at now: Uptime) -> Bool {
        switch link.phase {
        case .connecting, .resolving: true
        case .released, .held, .watching, .polling, .disconnecting: isConnected && history.bond.isYoung(at: now)
        }
    }

    /// bluetoothd crashed. If blekeep repeatedly was connecting only this paired device then, the device waits before it is
    /// connected again. (Debian 12's kernel 6.1 crashes bluetoothd when a peripheral lost its keys.)
    ///
    /// - Parameter isSuspect: whether blekeep was connecting this device, and no other one.
    mutating func bluezDied(isSuspect: Bool, in around: Surroundings) {
        guard isSuspect else { return history.bond.linkEnded() }
        guard facts?.isPaired == true else { return }
        history.bond.bluezDied()
        if history.bond.isDeadly { waitForUser(.link, as: .deadly, remedy: .wait, in: around) }
    }

    // MARK: What BlueZ gets wrong

    /// Handles an attempt by classic Bluetooth: connects by Low Energy only, if BlueZ offers that, or sets BlueZ's
    /// preference for Low Energy, if the user allowed it.
    ///
    /// - Returns: `false` when neither is possible.
    private mutating func switchBearer(_ failure: ReadingFailure, in around: Surroundings) -> Bool {
        guard let facts else { return false }
        if history.bearer == .usual, facts.hasLowEnergyBearer {
            history.bearer = .lowEnergy
        } else if history.bearer != .preferred, facts.mayPreferLowEnergy, around.allowed.contains(.preferLowEnergy) {
            history.bearer = .preferred
            ask(for: .recover(.preferLowEnergy(number, facts.path)))
        } else {
            return false
        }
        fail(.connect, as: failure, remedy: .bearer, in: around)
        return true
    }

    /// Whether BlueZ has the interface for Low Energy without its methods, as it does without `--experimental`.
    private func hasNoBearer(_ error: BusError) -> Bool {
        guard isConnectedByBearer, case .remote(let name, _) = error else { return false }
        return name == "org.freedesktop.DBus.Error.UnknownMethod"
    }

    /// BlueZ connects the device by classic Bluetooth, or tries to.
    mutating func notConnectedByBearer(_ failure: ReadingFailure, in around: Surroundings) {
        if switchBearer(failure, in: around) { return }
        guard let failure = Remedy.bearer.userAction(for: plan.address) else { return }
        waitForUser(.connect, as: failure, remedy: .bearer, in: around)
    }

    /// Removes an unpaired device whose values no longer match from BlueZ's cache, if the user allowed it: at most once a
    /// day, and not while another program uses its connection.
    mutating func forgetStale(in around: Surroundings) -> Bool {
        let now = around.now
        guard around.allowed.contains(.forgetStale), let facts, !facts.isPaired, link.phase.isOwn || !facts.isConnected,
            history.forgottenAt.map({ now - $0 >= Timing.forgetAgain }) ?? true
        else { return false }
        history.forgottenAt = now
        abandonLink()
        ask(for: .recover(.forget(number, facts.path)))
        health.remember(.forgotten)
        // Until BlueZ has done so.
        link.waitForEnd(within: Timing.disconnect, at: now)
        report(Attempt(phase: .read, failure: .forgotten, remedy: .rediscover), at: now)
        giveUpTick(in: around)
        return true
    }

    // MARK: Connections that blekeep can't observe

    /// Remembers the connection, because bluetoothd may still hold it during an outage.
    mutating func keepClaim() {
        guard link.phase.isOwn else { return }
        claim?.isInherited = false
        if isConnected { claim = LinkClaim(link: .link) }
        if link.phase.isConnecting { claim = LinkClaim(link: .attempt(until: .never)) }
    }

    /// Takes over a connection that is up, if blekeep made it.
    ///
    /// The subscriptions of the last run ended with its connection to the bus. If there is one, another program uses the
    /// connection, and may have made it.
    private mutating func adoptClaim(at now: Uptime) {
        expireClaim(at: now)
        guard let claim else { return }
        self.claim = nil
        if claim.isInherited, facts?.isSubscribed == true { return }
        link.claim()
        // Paused or removed while blekeep couldn't disconnect it.
        if isPaused { endConnection(at: now) }
    }

    /// Forgets an attempt that BlueZ has given up by now.
    mutating func expireClaim(at now: Uptime) {
        if case .attempt(let until)? = claim?.link, now > until { claim = nil }
    }

    /// The connections of a bluetoothd that doesn't run are gone.
    mutating func forgetClaim() { if claim != nil { claim = nil } }

    /// An outage ended: a connection that isn't up is gone. An attempt may still succeed.
    mutating func settleClaim(at now: Uptime) {
        guard claim != nil, !isConnected else { return }
        if case .attempt(until: .never)? = claim?.link {
            claim?.link = .attempt(until: now + Timing.connectUnheard)
        } else {
            claim = nil
        }
    }

    /// The first snapshot of BlueZ came.
    mutating func seenFirst() { isUpSinceStart = isConnected && facts?.isSubscribed != true }

    /// The ledger of an earlier run claims a connection for blekeep. Only one that has been up since the start may be
    /// that run's.
    ///
    /// - Parameter isKnown: whether BlueZ's objects have been known since the start.
    mutating func recalled(_ link: InheritedLink, isKnown: Bool) {
        if !isKnown {
            claim = LinkClaim(link: link, isInherited: true)
        } else if isUpSinceStart {
            // During an outage, the connection may end unnoticed.
            if isConnected { self.link.claim() } else { claim = LinkClaim(link: .link) }
        }
    }
}

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
    /// The number of transitions that must not be.
    var violations = 0
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

/// A connection that blekeep made but can't currently observe.
struct LinkClaim: Sendable, Hashable {
    var link: InheritedLink
    /// Whether it comes from the last run.
    var isInherited = false
}

struct Slots: Sendable {
    /// The number of connections, of all programs.
    let links: Int
    /// The number of those to configured devices.
    let own: Int
    let areFull: Bool
}

/// A connection that ended on this machine's side, but not by blekeep.
struct LocalEnd: Sendable, Hashable {
    var time: Uptime
    var adapter: ObjectPath?
    /// The end of the device's earlier pause, before the connection ended.
    var notBefore: Uptime
}

/// Evidence that one side lost the keys of a pairing: the device ends each connection when encryption fails.
struct BondState: Sendable, Hashable {
    private var linkedAt: Uptime?
    /// The number of consecutive connections of the paired device that ended at once.
    private(set) var losses = 0
    /// The number of consecutive crashes of bluetoothd while it connected this device.
    private(set) var deaths = 0

    mutating func linkMade(at now: Uptime) { linkedAt = now }

    /// Takes a connection that blekeep ended, and that therefore worked.
    mutating func linkEnded() {
        losses = 0
        deaths = 0
    }

    mutating func bluezDied() { deaths += 1 }

    /// Takes a connection that ended by itself.
    mutating func linkLost(isPaired: Bool, at now: Uptime) {
        losses = isPaired && isYoung(at: now) ? losses + 1 : 0
        if !isYoung(at: now) { deaths = 0 }
    }

    func isYoung(at now: Uptime) -> Bool { linkedAt.map { now - $0 < Timing.bondProof } ?? false }

    var isLost: Bool { losses >= Timing.lossesUntilUserNeeded }
    var isDeadly: Bool { deaths >= Timing.lossesUntilUserNeeded }
}

extension ReadingFailure {
    /// Converts the error of a Connect.
    init(connect error: BusError) { self.init(.connect, "BlueZ couldn't connect the device (\(error))") }

    fileprivate static let forgotten = ReadingFailure(.stale, "its values no longer match what BlueZ caches of it")

    fileprivate static let deadly = ReadingFailure(
        .crashesBluez, "bluetoothd crashes whenever it is connected, and it must be paired again")
}
