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

    private mutating func linkMade(_ id: DeviceID, _ now: Uptime) {
        devices[id].health.reset(.refused)
        guard let place = place(of: id) else { return }
        adapters[place].queue.linkMade(links(on: adapters[place].facts.path), at: now)
    }

    /// How many links the adapter holds, ours and others'.
    func links(on path: ObjectPath) -> Int {
        linksOfOurs(on: path) + (adapters.place(of: path).map { adapters[$0].facts.foreignLinks } ?? 0)
    }

    /// How many of those are with devices of ours, whoever made them.
    func linksOfOurs(on path: ObjectPath) -> Int {
        devices.indices.count { devices[$0].isConnected && devices[$0].facts?.adapter == path }
    }

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

    mutating func learnSlots(_ id: DeviceID, _ remedy: Remedy, _ now: Uptime) {
        guard let path = adapter(of: id), remedy == .slots || remedy == .retry else { return }
        let links = links(on: path)
        let isLearned =
            remedy == .slots
            ? adapters[path]?.queue.slots.full(with: links, at: now)
            : isRefusal(id, now) && adapters[path]?.queue.slots.refused(with: links, at: now) == true
        if isLearned == true { tellSlots(path, now) }
        // Those that leave no slot for a single link of ours are not known yet.
        if links > 0 || remedy == .slots || isRefusal(id, now) { effects.append(.countForeignLinks) }
    }

    /// Whether a failed attempt tells of the radio rather than of the device: the device is there, or nobody waited
    /// for it.
    private func isRefusal(_ id: DeviceID, _ now: Uptime) -> Bool {
        devices[id].contact.wasHeard(within: Timing.recently, of: now) || now - devices[id].link.triedAt < Timing.prompt
    }

    /// Whether a failed attempt is no fault of the device's: the radio has no slot for it, or may have none, which takes
    /// some attempts to learn. A device that is always refused has to do with it after all.
    private mutating func isRadioToBlame(_ id: DeviceID, _ remedy: Remedy, _ now: Uptime) -> Bool {
        guard remedy == .slots || remedy == .retry && now - devices[id].link.triedAt < Timing.prompt,
            let path = adapter(of: id)
        else { return false }
        // None of ours has to go for it.
        let hasNoSlot = adapters.place(of: path).map { isFull($0, now) } ?? false
        if links(on: path) == adapters[path]?.facts.foreignLinks { return hasNoSlot }
        guard links(on: path) >= SlotBudget.fewest, devices[id].health.count(.refused) <= SlotBudget.proof
        else { return false }
        return hasNoSlot || !devices[id].retry.backoff.isQuick
    }

    private mutating func tellSlots(_ path: ObjectPath, _ now: Uptime) {
        let limit = adapters[path]?.queue.slots.limit(at: now) ?? settings.maxLinks
        let isOthers = linksOfOurs(on: path) == 0
        let words =
            isOthers && links(on: path) >= limit
            ? "other programs hold all \(limit) links of adapter \(path.name); waiting for one to end"
            : "adapter \(path.name) holds no more than \(limit) links; devices take turns"
        note(.notice, nil, words)
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

    /// A link that ends just after another one was made: the radio may have made room.
    private mutating func crowdedOut(_ id: DeviceID, _ now: Uptime) {
        guard let place = place(of: id), adapters[place].queue.mayHaveMadeRoom(at: now) else {
            devices[id].history.lostAt = now
            return
        }
        // Of one that also ends links when no other was made it tells nothing.
        if let lost = devices[id].history.lostAt, now - lost < Timing.habit { return }
        if adapters[place].queue.madeRoom(at: now) { tellSlots(adapters[place].facts.path, now) }
    }

    // MARK: Polls

    mutating func polled(_ id: DeviceID, _ link: Int, _ result: PollResult, _ now: Uptime) {
        guard devices[id].link.polled(on: link) else { return }
        if !devices[id].isConnected { abandonLink(id) }
        devices[id].health.missed(result.failure)
        if result.values > 0 { succeeded(id, result, now) }
        if let ending = result.ending, ending == .relink || ending == .rediscover || ending == .wait {
            if devices[id].isConnected { disconnect(id, now) }
            let mayBeMadeAnew = devices[id].relink()
            if result.values == 0, mayBeMadeAnew, ending != .wait { return }
        }
        if result.misfits >= Timing.misfitsUntilParked, let failure = ReadingFailure.remedy(.stale, for: address(id)) {
            if forgetStale(id, now) { return }
            if devices[id].isConnected { disconnect(id, now) }
            return park(id, in: .read, failure, .stale, now)
        }
        guard devices[id].hasTick else { return }
        if result.values == 0, let failure = result.failure {
            // What the device answered, if only with an error, has come through the radio.
            let isRadio = result.silences > 0 || result.ending != nil && result.ending != .wait
            if isRadio, aboveCause(of: id) == nil { radioFailed(id, now) }
            pollFailed(id, failure, result.ending, now)
        }
        devices[id].endTick(good: result.values > 0)
        let outcome: TickOutcome = result.values == 0 ? .failed : result.isNew ? .newData : .noData
        devices[id].adapt(to: outcome, in: power.mode, at: now)
        if !isHeld(id, at: now) { disconnect(id, now) }
    }

    private func address(_ id: DeviceID) -> BluetoothAddress { devices[id].plan.address }

    private mutating func pollFailed(
        _ id: DeviceID, _ failure: ReadingFailure, _ ending: Remedy?, _ now: Uptime
    ) {
        devices[id].health.remember(failure)
        guard aboveCause(of: id) == nil, ending != .wait else { return }
        let pause = devices[id].retry.backoff.fail()
        devices[id].retry.wait(pause, at: now)
        let nextTick = ending != nil && isHeld(id, at: now) ? nil : devices[id].untilNextTick(at: now)
        report(id, Attempt(phase: .read, failure: failure, remedy: ending, pause: pause, nextTick: nextTick), now)
    }

    private mutating func succeeded(_ id: DeviceID, _ result: PollResult, _ now: Uptime) {
        devices[id].contact.readAt = now
        devices[id].history.isSubscribed = result.isSubscribed
        devices[id].retry.backoff.succeed()
        radioWorks(id)
        devices[id].retry.notBefore = .start
        report(id, Attempt(phase: .read, failure: result.failure), now)
        if !isBondInDoubt(id, now) { devices[id].retry.parked = nil }
    }
}

extension ReadingFailure {
    /// Why a Connect failed, in words.
    init(connect error: BusError) {
        self.init(.connect, "the connection could not be made (\(error))")
    }
}
