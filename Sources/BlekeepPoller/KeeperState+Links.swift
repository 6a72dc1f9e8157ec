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
