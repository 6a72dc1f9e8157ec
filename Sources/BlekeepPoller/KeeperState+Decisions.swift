import DBus
import RunLoop

/// Decisions from the keeper's state.
extension KeeperState {
    mutating func decide(_ now: Uptime) {
        claims.expire(at: now)
        let isAwakeForTicks = hasDevicesDue(at: now)
        for id in devices.indices {
            endPause(id, now)
            expire(id, now)
            if isAwakeForTicks, let due = devices[id].takeDue(at: now, isCoalescing: true) {
                if devices[id].hasTick { endOverdueTick(id, now) }
                devices[id].begin(due)
                run.isSettled = false
                if isHeldUp(id) { recheck.hurry(at: now) }
                // The pause is longer than the tick.
                if devices[id].retry.notBefore >= devices[id].nextTick { giveUpTick(id, now) }
            }
            listen(id, now)
        }
        if outage == nil || outage == .bluez, recheck.isDue(at: now) { effects.append(.refresh) }
        if reach.isFirstReportDue(at: now) { reportFirst() }
        if reach.isActivationDue(at: now) { effects.append(.activate) }
        if reach.health.isDue(at: now) { effects.append(.ping) }
        recoverHung(now)
        if outage == nil, !reach.isBlind {
            recover(now)
            for id in devices.indices { useLink(id, now) }
            for index in adapters.indices { useRadio(index, now) }
        }
        if !run.isSettled, !isWorking(now) {
            run.isSettled = true
            effects.append(.settle)
        }
        renewIfNeeded(now)
    }

    private func hasDevicesDue(at now: Uptime) -> Bool {
        devices.indices.contains { devices[$0].isDue(at: now) }
    }

    /// Whether work for a tick is in progress.
    private func isWorking(_ now: Uptime) -> Bool {
        outage == nil
            && devices.indices.contains {
                devices[$0].hasTick && now >= devices[$0].retry.notBefore
                    && !(devices[$0].plan.mode.listens && devices[$0].link.phase.isIdle)
            }
    }

    /// Ends work that exceeded its deadline.
    mutating func expire(_ id: DeviceIndex, _ now: Uptime) {
        switch devices[id].link.expired(at: now) {
        case .connecting(let attempt):
            if !attempt.isAnswered { learnSlots(id, .retry, now) }
            cancel(id, now)
            let failure = ReadingFailure(.connect, "BlueZ didn't connect the device in time")
            fail(id, in: .connect, failure, .retry, now)
        case .watching:
            abandonLink(id)
            let failure = ReadingFailure(.connect, "another program's attempt to connect failed")
            fail(id, in: .connect, failure, .retry, now)
        case .resolving:
            disconnect(id, now)
            let failure = ReadingFailure(.services, "BlueZ didn't resolve the services in 30 s")
            fail(id, in: .resolve, failure, .retry, now)
        case .disconnecting: endless(id, now)
        case .released, .held, .polling, nil: break
        }
        if devices[id].plan.count != nil, now >= giveUp(id) { giveUpTick(id, now) }
    }

    /// Returns when a tick of a finite run fails without work.
    func giveUp(_ id: DeviceIndex) -> Uptime {
        guard devices[id].plan.count != nil, !devices[id].link.phase.isPolling,
            let deadline = devices[id].tick?.deadline
        else { return .never }
        let isHopeless = outage != nil || !(adapterIndex(of: id).map { adapters[$0].facts.isPowered } ?? false)
        let limit = max(Timing.finiteTick, devices[id].plan.shortestInterval)
        return deadline + (isHopeless ? Timing.finiteOutage : limit)
    }

    /// Returns the cause that isn't the device's fault: the bus, bluetoothd or the adapter, in this order.
    func aboveCause(of id: DeviceIndex) -> ReadingFailure? {
        if let outage { return outage.failure }
        guard let index = adapterIndex(of: id) else {
            return ReadingFailure(.noAdapter, "the machine doesn't have this Bluetooth adapter")
        }
        if adapters[index].facts.isPowered { return nil }
        return ReadingFailure(
            .adapterOff, "the adapter \(adapters[index].facts.path.name) is off; turn it on with bluetoothctl power on")
    }

    /// Returns the first cause that prevents polling the device.
    func cause(of id: DeviceIndex) -> ReadingFailure? {
        if let above = aboveCause(of: id) { return above }
        if let failure = devices[id].retry.userActionNeeded { return failure }
        if let failure = discoveryFailure(of: id) { return failure }
        guard devices[id].facts == nil, !maySearch(id) else { return nil }
        return ReadingFailure(
            .power, "BlueZ has forgotten it, and blekeep doesn't search now: \(power.reason)")
    }

    /// Returns BlueZ's refusal to search, if the device needs that.
    private func discoveryFailure(of id: DeviceIndex) -> ReadingFailure? {
        guard let index = adapterIndex(of: id), let failure = adapters[index].discovery.failure else { return nil }
        guard devices[id].plan.mode.listens || !devices[id].isKnown else { return nil }
        // Another program's search may let it hear the device.
        return devices[id].listening?.hasValue == true ? nil : failure
    }

    mutating func useLink(_ id: DeviceIndex, _ now: Uptime) {
        // First, because most devices need nothing at most steps.
        guard devices[id].link.phase.isIdle, devices[id].isBlocked || devices[id].isConnected && devices[id].needsLink,
            let facts = devices[id].facts, devices[id].plan.mode != .passive
        else { return }
        if now < devices[id].retry.notBefore, devices[id].retry.userActionNeeded != nil { return }
        // BlueZ doesn't connect a blocked device.
        if facts.isBlocked, let failure = Remedy.blocked.userAction(for: devices[id].plan.address) {
            return waitForUser(id, in: .link, failure, .blocked, now)
        }
        guard facts.isConnected else { return }
        if !facts.isResolved {
            devices[id].link.resolve(at: now)
        } else if devices[id].hasTick, now >= devices[id].retry.notBefore, var tick = devices[id].tick {
            tick.isAlone = !isHeld(id, at: now)
            poll(id, tick, facts.path, now)
        } else if devices[id].link.isUnsubscribed, !devices[id].hasTick {
            poll(id, .subscribing(at: now), facts.path, now)
        }
    }

    private mutating func poll(_ id: DeviceIndex, _ tick: DueTick, _ path: ObjectPath, _ now: Uptime) {
        if let late = devices[id].polls(at: now) { effects.append(.timed(id, .lateness(late))) }
        devices[id].link.poll(at: path)
        effects.append(.poll(id, link: devices[id].link.number, path, tick))
    }
}
