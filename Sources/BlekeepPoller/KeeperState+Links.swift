import DBus
import RunLoop

/// The results of connections and of attempts. BlueZ's properties count, not its replies.
extension KeeperState {
    mutating func update(_ id: DeviceIndex, _ facts: DeviceFacts?, _ now: Uptime) {
        let before = devices[id].facts
        devices[id].facts = facts
        doubt(id, at: now)
        if facts?.isConnected != true { claims.ended(id) }
        guard let facts else {
            if before != nil { vanished(id, now) }
            return
        }
        if before == nil { found(id, now) }
        if let before, before.isPaired != facts.isPaired || before.isBlocked && !facts.isBlocked {
            endWaitForUser(id, now)
        }
        if before?.isConnected == true, !facts.isConnected, devices[id].retry.userActionNeeded == .endless {
            endWaitForUser(id, now)
        }
        if before?.isConnected != true, facts.isConnected {
            devices[id].history.bond.linkMade(at: now)
            if before != nil { newLinkMade(on: facts.adapter, now) }
            if devices[id].link.phase.isConnecting {
                effects.append(.timed(id, .connect(now - devices[id].link.triedAt)))
            }
        }
        if let before, before.isPaired != facts.isPaired { devices[id].history.bond = BondState() }
        if facts.isConnected {
            devices[id].link.cameUp(at: now)
            claim(id, at: now)
        } else if claims[id] == .link {
            // The next connection may be another program's.
            claims[id] = nil
        }
        if facts.isConnected, facts.isResolved, devices[id].link.resolved() { linkMade(id, now) }
        if facts.isConnected { return }
        let isOwnEnd = devices[id].link.ended()
        guard before?.isConnected == true else { return }
        if isOwnEnd { linkClosed(id) } else { dropped(id, now) }
    }

    /// Ends all work on a connection.
    mutating func abandonLink(_ id: DeviceIndex, staysUp: Bool = false) {
        if let path = devices[id].link.abandon(staysUp: staysUp) { effects.append(.abandon(id, path)) }
    }

    /// Ends all work on a connection during an outage, unless it is disconnecting.
    mutating func loseSight(of id: DeviceIndex) {
        if devices[id].link.phase.isDisconnecting { return }
        abandonLink(id)
    }

    // MARK: New connections

    mutating func connectAnswered(_ id: DeviceIndex, _ link: Int, _ error: BusError?, _ now: Uptime) {
        // The connection to the bus ended without the reply. BlueZ goes on with the attempt.
        if error == .disconnected { return }
        if error != .timedOut { reach.health.answered() }
        guard devices[id].link.isConnecting(in: link) else { return }
        guard let error else { return devices[id].link.accept(at: now) }
        let (remedy, failure) = (Remedy(error), ReadingFailure(connect: error))
        switch remedy.policy.connect {
        case .adopt:
            devices[id].link.adopt(at: now)
            // BlueZ's signal about the connection may be lost.
            recheck.hurry(at: now)
        case .watch: devices[id].link.watch(at: now)
        case .switchBearer: notConnectedByBearer(id, failure, now)
        case .search where hasNoBearer(id, error): notConnectedByBearer(id, failure, now)
        case .askUser:
            abandonLink(id)
            if let failure = remedy.userAction(for: devices[id].plan.address) {
                waitForUser(id, in: .connect, failure, remedy, now)
            }
        case .pause:
            abandonLink(id)
            fail(id, in: .connect, failure, remedy, now)
        case .retry, .search:
            learnSlots(id, remedy, now)
            cancel(id, now)
            if isRadioToBlame(id, remedy, now) {
                refusedByRadio(id, failure, remedy, now)
            } else {
                fail(id, in: .connect, failure, remedy, now)
            }
        }
    }

    // MARK: Ended connections

    /// Handles the removal of a device's object. After a failed attempt, BlueZ removes it without a reply.
    private mutating func vanished(_ id: DeviceIndex, _ now: Uptime) {
        let phase = devices[id].link.phase
        abandonLink(id)
        switch phase {
        case .connecting, .watching:
            fail(
                id, in: .connect, ReadingFailure(.connect, "BlueZ couldn't connect the device"),
                .rediscover, now)
        case .resolving, .polling:
            fail(
                id, in: .link, ReadingFailure(.vanished, "BlueZ forgot the device"), .rediscover, now)
        case .released, .held, .disconnecting: break
        }
    }

    private mutating func linkClosed(_ id: DeviceIndex) {
        devices[id].health.reset(.endless)
        devices[id].history.bond.linkEnded()
        abandonLink(id)
    }

    /// The log reports the 1st, 2nd, 4th, 8th … lost connection of a device.
    private mutating func noteDrop(_ id: DeviceIndex, _ end: LinkEnd) {
        devices[id].history.drops += 1
        let drops = devices[id].history.drops
        let times = drops == 1 ? "" : " (\(drops) times)"
        let reason = end == .unknown ? "" : ": \(end.message)"
        note(drops.nonzeroBitCount == 1 ? .notice : .debug, id, "connection lost\(times)\(reason)")
    }

    private mutating func dropped(_ id: DeviceIndex, _ now: Uptime) {
        let phase = devices[id].link.phase
        let end = devices[id].link.end
        noteDrop(id, end)
        if bondIsLost(id, end, now) { return }
        crowdedOut(id, now)
        if endedOnThisMachine(id, end, now) {
            abandonLink(id)
            return waitForUser(id, in: .link, .contended, .backOff, now)
        }
        // A poll in progress ends by itself, and then reports the failure.
        if case .polling = phase { return }
        abandonLink(id)
        if case .resolving = phase {
            fail(id, in: .resolve, ReadingFailure(.dropped, "the connection ended at once"), .retry, now)
        } else {
            report(id, Attempt(phase: .link, failure: ReadingFailure(.dropped, end.message)), now)
        }
    }
}

extension ReadingFailure {
    /// Converts the error of a Connect.
    init(connect error: BusError) {
        self.init(.connect, "BlueZ couldn't connect the device (\(error))")
    }
}

/// A connection that ended on this machine's side, but not by blekeep.
struct LocalEnd: Sendable, Hashable {
    var time: Uptime
    var adapter: ObjectPath?
    /// The end of the device's earlier pause, before the connection ended.
    var notBefore: Uptime
}

/// Connections that this machine ended: another program disconnected, or the adapter or bluetoothd stopped. bluetoothd
/// gives the same reason for each, and reports the adapter only afterwards.
extension KeeperState {
    /// Starts the pause after a connection ended.
    ///
    /// - Returns: whether another program ended the device's connections repeatedly.
    mutating func endedOnThisMachine(_ id: DeviceIndex, _ end: LinkEnd, _ now: Uptime) -> Bool {
        guard end == .local, let index = adapterIndex(of: id), adapters[index].facts.isPowered else {
            let pause = end == .local ? Timing.afterLoss : end.pause
            devices[id].retry.wait(pause, at: now)
            return false
        }
        devices[id].history.endedLocally = LocalEnd(
            time: now, adapter: adapters[index].facts.path, notBefore: devices[id].retry.notBefore)
        devices[id].retry.wait(end.pause, at: now)
        guard devices[id].link.phase.isOwn else { return false }
        devices[id].history.endedByOthers.removeAll { now - $0 > Timing.contention.within }
        devices[id].history.endedByOthers.append(now)
        return devices[id].history.endedByOthers.count >= Timing.contention.ends
    }

    /// Attributes connections that just ended to an adapter that stopped, or to bluetoothd with all adapters (`nil`).
    mutating func reattributeLocalEnds(on path: ObjectPath?, _ now: Uptime) {
        for id in devices.indices {
            guard let end = devices[id].history.endedLocally, path == nil || end.adapter == path else { continue }
            devices[id].history.endedLocally = nil
            guard now - end.time <= Timing.sameCause else { continue }
            devices[id].history.endedByOthers.removeAll { $0 == end.time }
            if devices[id].retry.userActionNeeded == .contended { endWaitForUser(id, now) }
            guard devices[id].retry.userActionNeeded == nil else { continue }
            devices[id].retry.notBefore = max(end.notBefore, now + Timing.afterLoss)
        }
    }
}

/// Devices about which BlueZ is wrong: it tries classic Bluetooth, or caches services that have changed.
extension KeeperState {
    /// Handles an attempt by classic Bluetooth: connects by Low Energy only, if BlueZ offers that, or sets BlueZ's
    /// preference for Low Energy, if the user allowed it.
    ///
    /// - Returns: `false` when neither is possible.
    mutating func switchBearer(_ id: DeviceIndex, _ failure: ReadingFailure, _ now: Uptime) -> Bool {
        guard let facts = devices[id].facts else { return false }
        if devices[id].history.bearer == .usual, facts.hasLowEnergyBearer {
            devices[id].history.bearer = .lowEnergy
        } else if devices[id].history.bearer != .preferred, facts.mayPreferLowEnergy,
            recovery.allowed.contains(.preferLowEnergy)
        {
            devices[id].history.bearer = .preferred
            effects.append(.recover(.preferLowEnergy(id, facts.path)))
        } else {
            return false
        }
        abandonLink(id)
        fail(id, in: .connect, failure, .bearer, now)
        return true
    }

    /// Whether BlueZ has the interface for Low Energy without its methods, as it does without `--experimental`.
    func hasNoBearer(_ id: DeviceIndex, _ error: BusError) -> Bool {
        guard devices[id].isConnectedByBearer, case .remote(let name, _) = error else { return false }
        return name == "org.freedesktop.DBus.Error.UnknownMethod"
    }

    mutating func notConnectedByBearer(_ id: DeviceIndex, _ failure: ReadingFailure, _ now: Uptime) {
        if switchBearer(id, failure, now) { return }
        abandonLink(id)
        guard let failure = Remedy.bearer.userAction(for: devices[id].plan.address) else { return }
        waitForUser(id, in: .connect, failure, .bearer, now)
    }

    /// Removes an unpaired device whose values no longer match from BlueZ's cache, if the user allowed it: at most once a
    /// day, and not while another program uses its connection.
    mutating func forgetStale(_ id: DeviceIndex, _ now: Uptime) -> Bool {
        guard recovery.allowed.contains(.forgetStale), let facts = devices[id].facts, !facts.isPaired,
            devices[id].link.phase.isOwn || !facts.isConnected,
            devices[id].history.forgottenAt.map({ now - $0 >= Timing.forgetAgain }) ?? true
        else { return false }
        devices[id].history.forgottenAt = now
        abandonLink(id)
        effects.append(.recover(.forget(id, facts.path)))
        devices[id].health.remember(.forgotten)
        // Until BlueZ has done so.
        devices[id].link.waitForEnd(within: Timing.disconnect, at: now)
        report(id, Attempt(phase: .read, failure: .forgotten, remedy: .rediscover), now)
        giveUpTick(id, now)
        return true
    }
}

extension ReadingFailure {
    fileprivate static let forgotten = ReadingFailure(
        .stale, "its values no longer match what BlueZ caches of it")
}
