import DBus
import RunLoop

/// Decisions from the keeper's state.
extension KeeperState {
    mutating func decide(_ now: Uptime) {
        let areTicksDue = devices.contains { $0.isDue(at: now) }
        for id in devices.indices {
            if devices[id].claim != nil { devices[id].expireClaim(at: now) }
        }
        for id in devices.indices where devices[id].needsTime(at: now, areTicksDue: areTicksDue) {
            let around = surroundings(
                of: id, judgesAir: areTicksDue || devices[id].plan.count != nil, at: now)
            perform(devices[id].timePassed(areTicksDue: areTicksDue, in: around), of: id, at: now)
        }
        if bluez.reports.areDue(at: now) { reportFirst() }
        effects += bluez.timePassed(at: now)
        if bluez.isRestartDue(at: now), recovery.allowed.contains(.restartBluetooth) {
            bluez.restarts(at: now)
            effects.append(.recover(.restartBluez))
        }
        if outage == nil, !bluez.isBlind {
            recover(now)
            for id in devices.indices where devices[id].mayUseConnection {
                perform(devices[id].useConnection(in: surroundings(of: id, at: now)), of: id, at: now)
            }
            for index in adapters.indices { useRadio(index, now) }
        }
        if !run.isSettled, !isWorking(now) {
            run.isSettled = true
            effects.append(.settle)
        }
        if bluez.isRenewalDue(isIdle: isIdle(at: now), at: now) { renew(now) }
    }

    /// Replaces the connection to the bus.
    private mutating func renew(_ now: Uptime) {
        for id in devices.indices { perform(devices[id].busWillBeRenewed(), of: id, at: now) }
        for path in adapters.paths { adapters[path]?.queue.discoveryEnded() }
        bluez.renews(at: now)
        effects.append(.renew)
    }

    /// Whether no work is in progress, and no tick begins soon.
    private func isIdle(at now: Uptime) -> Bool {
        run.isSettled && devices.allSatisfy { $0.link.phase.isIdle && $0.nextTick - now >= RenewalState.length }
            && adapters.allSatisfy(\.queue.mayDecide)
    }

    /// Whether work for a tick is in progress.
    private func isWorking(_ now: Uptime) -> Bool {
        outage == nil
            && devices.indices.contains {
                devices[$0].hasTick && now >= devices[$0].retry.notBefore
                    && !(devices[$0].plan.mode.listens && devices[$0].link.phase.isIdle)
            }
    }

    // MARK: Ends

    mutating func endDiscovery(_ path: ObjectPath) {
        if adapters[path]?.queue.endDiscovery() == true { effects.append(.stopDiscovery(path)) }
    }

    mutating func releaseAll(_ now: Uptime) {
        for id in devices.indices {
            let staysUp = !run.isSleeping && settings.keepsLinks && devices[id].isConnected && isHeld(id, at: now)
            if !staysUp || devices[id].link.phase.isConnecting {
                perform(devices[id].pollingEnded(at: now), of: id, at: now)
            }
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
