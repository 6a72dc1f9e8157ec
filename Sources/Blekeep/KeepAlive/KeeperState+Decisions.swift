import DBus
import RunLoop

/// What is to be done, from the keeper's state.
extension KeeperState {
    mutating func decide(_ now: Uptime) {
        let isAwakeForTicks = hasDevicesDue(at: now)
        for id in devices.indices {
            expire(id, now)
            if isAwakeForTicks, let due = devices[id].takeDue(at: now, isCoalescing: true) {
                if devices[id].hasTick { endOverdueTick(id, now) }
                devices[id].begin(due)
                run.isSettled = false
                // A pause that lasts beyond this tick: nothing will come of it.
                if devices[id].retry.notBefore >= devices[id].nextTick { giveUpTick(id, now) }
            }
            listen(id, now)
        }
        if reach.isActivationDue(at: now) { effects.append(.activate) }
        if reach.health.isDue(at: now) { effects.append(.ask) }
        recoverHung(now)
        if outage == nil, !reach.isBlind {
            recover(now)
            for id in devices.indices { useLink(id, now) }
            for place in adapters.indices { useRadio(place, now) }
        }
        if !run.isSettled, !isUnderWay(now) {
            run.isSettled = true
            effects.append(.settle)
        }
        renewIfNeeded(now)
    }

    private func hasDevicesDue(at now: Uptime) -> Bool {
        devices.indices.contains { devices[$0].isDue(at: now) }
    }

    /// Whether a tick is being worked on.
    private func isUnderWay(_ now: Uptime) -> Bool {
        outage == nil
            && devices.indices.contains {
                devices[$0].hasTick && now >= devices[$0].retry.notBefore
                    && !(devices[$0].plan.mode.listens && devices[$0].link.phase.isIdle)
            }
    }

    /// Ends what has taken too long.
    mutating func expire(_ id: DeviceID, _ now: Uptime) {
        switch devices[id].link.expired(at: now) {
        case .connecting(let attempt):
            if !attempt.isAnswered { learnSlots(id, .retry, now) }
            cancel(id, now)
            let failure = ReadingFailure(.connect, "the connection was not made in time")
            fail(id, in: .connect, failure, .retry, now)
        case .watching:
            abandonLink(id)
            let failure = ReadingFailure(.connect, "another program's attempt to connect failed")
            fail(id, in: .connect, failure, .retry, now)
        case .resolving:
            disconnect(id, now)
            let failure = ReadingFailure(.services, "the services were not resolved in 30 s")
            fail(id, in: .resolve, failure, .retry, now)
        case .disconnecting: endless(id, now)
        case .released, .held, .polling, nil: break
        }
        if devices[id].plan.count != nil, now >= giveUp(id) { giveUpTick(id, now) }
    }

    /// When a tick that could not be worked on so far is given up; a finite run waits a little for what may come.
    func giveUp(_ id: DeviceID) -> Uptime {
        guard devices[id].plan.count != nil, !devices[id].link.phase.isPolling,
            let deadline = devices[id].tick?.deadline
        else { return .never }
        let isHopeless = outage != nil || !(place(of: id).map { adapters[$0].facts.isPowered } ?? false)
        let patience = max(Timing.finiteTick, devices[id].plan.shortestInterval)
        return deadline + (isHopeless ? Timing.finiteOutage : patience)
    }

    /// Why a device is not polled that it is not to blame for, by rank: the bus, bluetoothd, the adapter.
    func aboveCause(of id: DeviceID) -> ReadingFailure? {
        if let outage { return outage.failure }
        guard let place = place(of: id) else {
            return ReadingFailure(.noAdapter, "there is no such Bluetooth adapter")
        }
        if adapters[place].facts.isPowered { return nil }
        return ReadingFailure(
            .adapterOff, "the adapter \(adapters[place].facts.path.name) is off; turn it on with bluetoothctl power on")
    }

    /// What keeps a device from being polled, the highest cause first.
    func cause(of id: DeviceID) -> ReadingFailure? {
        if let above = aboveCause(of: id) { return above }
        if let parked = devices[id].retry.parked { return parked }
        guard devices[id].facts == nil, !maySearch(id) else { return nil }
        return ReadingFailure(
            .power, "BlueZ has forgotten it, and nothing is searched for: \(power.reason)")
    }

    mutating func useLink(_ id: DeviceID, _ now: Uptime) {
        // Most have no link, or nothing to do with it, at most steps.
        guard devices[id].link.phase.isIdle, devices[id].isBlocked || devices[id].isConnected && devices[id].needsLink,
            let facts = devices[id].facts, devices[id].plan.mode != .passive
        else { return }
        if now < devices[id].retry.notBefore, devices[id].retry.parked != nil { return }
        // BlueZ connects no device that somebody has blocked: to ask for it is in vain.
        if facts.isBlocked,
            let failure = ReadingFailure.remedy(.blocked, for: devices[id].plan.address)
        {
            return park(id, in: .link, failure, .blocked, now)
        }
        guard facts.isConnected else { return }
        if !facts.isResolved {
            devices[id].link.resolve(at: now)
        } else if devices[id].hasTick, now >= devices[id].retry.notBefore, var tick = devices[id].tick {
            tick.isAlone = !isHeld(id, at: now)
            poll(id, tick, facts.path)
        } else if devices[id].link.isUnsubscribed, !devices[id].hasTick {
            poll(id, .subscribing(at: now), facts.path)
        }
    }

    private mutating func poll(_ id: DeviceID, _ tick: DueTick, _ path: ObjectPath) {
        devices[id].link.poll(at: path)
        effects.append(.poll(id, link: devices[id].link.number, path, tick))
    }
}
