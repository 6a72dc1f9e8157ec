import DBus
import RunLoop

/// What becomes of links and of the attempts to make them. BlueZ's state is the truth, not its replies.
extension KeeperState {
    mutating func update(_ id: DeviceID, _ facts: DeviceFacts?, _ now: Uptime) {
        let before = devices[id].facts
        devices[id].facts = facts
        if facts?.isConnected != true { claims.ended(id) }
        guard let facts else {
            if before != nil { vanished(id, now) }
            return
        }
        if before == nil { found(id, now) }
        if let before, before.isPaired != facts.isPaired || before.isBlocked && !facts.isBlocked { unpark(id, now) }
        if before?.isConnected == true, !facts.isConnected, devices[id].retry.parked == .endless { unpark(id, now) }
        if before?.isConnected != true, facts.isConnected {
            devices[id].history.bond.linkMade(at: now)
            if before != nil { newLinkMade(on: facts.adapter, now) }
        }
        if let before, before.isPaired != facts.isPaired { devices[id].history.bond = BondState() }
        if facts.isConnected {
            devices[id].link.cameUp(at: now)
            claim(id, at: now)
        } else if claims[id] == .link {
            // The next one may be anybody's, also where bluetoothd is not said to be there again yet.
            claims[id] = nil
        }
        if facts.isConnected, facts.isResolved, devices[id].link.resolved() { linkMade(id, now) }
        guard before?.isConnected == true, !facts.isConnected else { return }
        if devices[id].link.phase.isDisconnecting { linkClosed(id) } else { dropped(id, now) }
    }

    /// Whatever was under way on this link is void from now on.
    mutating func abandonLink(_ id: DeviceID, staysUp: Bool = false) {
        if let path = devices[id].link.abandon(staysUp: staysUp) { effects.append(.abandon(id, path)) }
    }

    /// The same while nothing is told of it; but one that is on its way down is no link to adopt later.
    mutating func loseSight(of id: DeviceID) {
        if devices[id].link.phase.isDisconnecting { return }
        abandonLink(id)
    }

    // MARK: Links that come

    mutating func connectAnswered(_ id: DeviceID, _ link: Int, _ error: BusError?, _ now: Uptime) {
        // The reply is lost with the connection; the attempt goes on.
        if error == .disconnected { return }
        if error != .timedOut { reach.health.answered() }
        guard devices[id].link.isConnecting(in: link) else { return }
        guard let error else { return devices[id].link.accept(at: now) }
        let remedy = Remedy(error)
        switch remedy {
        case .adopt: devices[id].link.adopt(at: now)
        case .watch: devices[id].link.watch(at: now)
        case .bearer where switchBearer(id, ReadingFailure(connect: error), now): return
        case .rediscover where hasNoBearer(id, error): notConnectedByBearer(id, ReadingFailure(connect: error), now)
        case .bearer, .rebond, .denied, .blocked:
            abandonLink(id)
            if let failure = ReadingFailure.remedy(remedy, for: devices[id].plan.address) {
                park(id, in: .connect, failure, remedy, now)
            }
        case .wait:
            // Nothing is under way any more that could be ended.
            abandonLink(id)
            fail(id, in: .connect, ReadingFailure(connect: error), remedy, now)
        default:
            learnSlots(id, remedy, now)
            cancel(id, now)
            let failure = ReadingFailure(connect: error)
            if isRadioToBlame(id, remedy, now) {
                refusedByRadio(id, failure, remedy, now)
            } else {
                fail(id, in: .connect, failure, remedy, now)
            }
        }
    }

    // MARK: Links that go

    /// The object went away: after a failed attempt BlueZ removes a device without answering.
    private mutating func vanished(_ id: DeviceID, _ now: Uptime) {
        let phase = devices[id].link.phase
        abandonLink(id)
        switch phase {
        case .connecting, .watching:
            fail(
                id, in: .connect, ReadingFailure(.connect, "the connection could not be made"),
                .rediscover, now)
        case .resolving, .polling:
            fail(
                id, in: .link, ReadingFailure(.vanished, "BlueZ forgot the device"), .rediscover, now)
        case .released, .held, .disconnecting: break
        }
    }

    private mutating func linkClosed(_ id: DeviceID) {
        devices[id].health.reset(.endless)
        devices[id].history.bond.linkEnded()
        abandonLink(id)
    }

    private mutating func dropped(_ id: DeviceID, _ now: Uptime) {
        let phase = devices[id].link.phase
        let end = devices[id].link.end
        let reason = end == .unknown ? "link lost" : "link lost: \(end.words)"
        note(.notice, id, reason)
        if bondIsLost(id, end, now) { return }
        crowdedOut(id, now)
        if endedOnThisMachine(id, end, now) {
            abandonLink(id)
            return park(id, in: .link, .contended, .backOff, now)
        }
        // A poll under way ends by itself, and tells then; its link is this one still.
        if case .polling = phase { return }
        abandonLink(id)
        if case .resolving = phase {
            fail(id, in: .resolve, ReadingFailure(.dropped, "the link was lost at once"), .retry, now)
        } else {
            report(id, Attempt(phase: .link, failure: ReadingFailure(.dropped, reason)), now)
        }
    }
}

extension ReadingFailure {
    /// Why a Connect failed, in words.
    init(connect error: BusError) {
        self.init(.connect, "the connection could not be made (\(error))")
    }
}
