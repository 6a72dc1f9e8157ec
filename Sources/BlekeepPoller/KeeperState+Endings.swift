import DBus
import RunLoop

/// The ends of attempts, ticks, connections and runs.
extension KeeperState {
    // MARK: Attempts

    /// Takes the end of an attempt, and reports it with the device's condition.
    mutating func report(_ id: DeviceIndex, _ attempt: Attempt, _ now: Uptime) {
        devices[id].health.record(attempt, at: now)
        effects.append(.attempt(id, attempt, devices[id].health.condition))
    }

    mutating func fail(
        _ id: DeviceIndex, in phase: Attempt.Phase, _ failure: ReadingFailure, _ remedy: Remedy, _ now: Uptime
    ) {
        devices[id].health.remember(failure)
        // The device isn't at fault, so its pauses don't grow.
        if aboveCause(of: id) != nil
            || remedy == .wait && devices[id].health.count(.waited) <= Timing.waitsUntilCounted
        {
            devices[id].retry.wait(Timing.afterRefusedDiscovery, at: now)
            return
        }
        radioFailed(id, now)
        if phase == .connect { linkNotMade(id, remedy, now) }
        let isQuick = devices[id].retry.backoff.isQuick && phase != .search
        let pause = max(devices[id].retry.backoff.fail(), shortestPause(id, after: remedy))
        devices[id].retry.wait(pause, at: now)
        // A held connection is made again between ticks, too.
        let nextTick = isQuick || isHeld(id, at: now) ? nil : devices[id].untilNextTick(at: now)
        report(id, Attempt(phase: phase, failure: failure, remedy: remedy, pause: pause, nextTick: nextTick), now)
        if !isQuick { giveUpTick(id, now) }
    }

    /// Takes an attempt for which the adapter had no slot. The device's pauses don't grow.
    mutating func refusedByRadio(_ id: DeviceIndex, _ failure: ReadingFailure, _ remedy: Remedy, _ now: Uptime) {
        devices[id].health.remember(failure)
        let pause = max(.milliseconds(500), shortestPause(id, after: remedy))
        devices[id].retry.wait(pause, at: now)
        report(id, Attempt(phase: .connect, failure: failure, remedy: remedy, pause: pause), now)
    }

    private mutating func shortestPause(_ id: DeviceIndex, after remedy: Remedy) -> Duration {
        switch remedy.policy.pause {
        case .usual: .zero
        case .longWhenRepeated: devices[id].health.count(.cancelled) > 1 ? Timing.contended : .zero
        case .untilASlotMayBeFree: Timing.afterFullSlots
        }
    }

    // MARK: Ticks

    mutating func giveUpTick(_ id: DeviceIndex, _ now: Uptime) {
        guard let tick = devices[id].tick else { return }
        let isSought = isSought(id)
        let failure =
            cause(of: id) ?? devices[id].health.lastFailure
            ?? (devices[id].plan.mode.listens || isSought
                ? .notHeard : ReadingFailure(.late, "its turn didn't come in time"))
        effects.append(.failed(id, tick: tick.number, failure))
        if failure.code == .known(.late) { turnMissed(id, now) }
        if isForWantOfTime(failure, id) {
            devices[id].health.remember(failure)
        } else if let attempt = devices[id].health.giveUpTick(
            in: isSought ? .search : .read, failure, at: now)
        {
            effects.append(.attempt(id, attempt, devices[id].health.condition))
        }
        endTick(id, good: false)
    }

    /// Whether blekeep searches for the device, or has searched without hearing it.
    private func isSought(_ id: DeviceIndex) -> Bool {
        guard !devices[id].isKnown, let index = adapterIndex(of: id) else { return false }
        return adapters[index].queue.discovery != .off || devices[id].contact.searched > .zero
    }

    /// Ends a device's tick.
    mutating func endTick(_ id: DeviceIndex, good isGood: Bool) {
        guard let tick = devices[id].tick else { return }
        devices[id].endTick(good: isGood)
        effects.append(.tickEnded(id, tick: tick.number, devices[id].health.lastTickFailure))
    }

    // MARK: Links

    /// Disconnects, if blekeep made the connection. Otherwise, ends only blekeep's work on it.
    mutating func disconnect(_ id: DeviceIndex, _ now: Uptime) {
        guard let facts = devices[id].facts, devices[id].link.disconnect(at: now) else { return abandonLink(id) }
        effects.append(.disconnect(id, facts.path))
    }

    /// Cancels an attempt, and waits for its end before the next one.
    mutating func cancel(_ id: DeviceIndex, _ now: Uptime) {
        assert(devices[id].link.phase.isConnecting && !devices[id].isConnected)
        abandonLink(id)
        guard let facts = devices[id].facts else { return }
        devices[id].link.waitForEnd(within: Timing.afterCancel, at: now)
        effects.append(.disconnect(id, facts.path))
    }

    /// Cancels an attempt if one is in progress.
    mutating func giveUpAttempt(_ id: DeviceIndex, _ now: Uptime) {
        if devices[id].link.phase.isConnecting { cancel(id, now) }
    }

    mutating func endDiscovery(_ path: ObjectPath) {
        if adapters[path]?.queue.endDiscovery() == true { effects.append(.stopDiscovery(path)) }
    }

    /// Handles a connection that didn't end in time.
    mutating func endless(_ id: DeviceIndex, _ now: Uptime) {
        abandonLink(id, staysUp: devices[id].isConnected)
        guard devices[id].isConnected else { return }
        recheck.hurry(at: now)
        guard devices[id].health.count(.endless) >= Timing.endlessUntilUserNeeded else { return }
        waitForUser(id, in: .link, .endless, .relink, now)
    }

    // MARK: Runs

    /// Ends a device's connection, or the attempt to make it.
    mutating func release(_ id: DeviceIndex, _ now: Uptime) {
        switch devices[id].link.phase {
        case .disconnecting: break
        case .connecting: cancel(id, now)
        default:
            if devices[id].isConnected {
                disconnect(id, now)
            } else if devices[id].link.phase.isPolling {
                // BlueZ may take its time to answer a read after the end of the connection.
                abandonLink(id)
            }
        }
    }

    mutating func releaseAll(_ now: Uptime) {
        for id in devices.indices {
            let staysUp = !run.isSleeping && settings.keepsLinks && devices[id].isConnected && isHeld(id, at: now)
            if !staysUp || devices[id].link.phase.isConnecting { release(id, now) }
        }
        for path in adapters.paths { endDiscovery(path) }
        if !run.isSettled {
            run.isSettled = true
            effects.append(.settle)
            if run.isSleeping { effects.append(.flushed) }
        }
    }

    mutating func note(_ level: Notice.Level, _ id: DeviceIndex?, _ text: String) {
        effects.append(.notice(Notice(level: level, device: id, text: text)))
    }

    /// Logs what happened to devices at once: a line for each of a few, or one with their number.
    mutating func note(_ level: Notice.Level, _ ids: [DeviceIndex], _ text: String) {
        guard ids.count > Notice.maxDevices else { return ids.forEach { note(level, $0, text) } }
        note(level, nil, "\(ids.count) devices: \(text)")
    }
}
