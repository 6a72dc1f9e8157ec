import DBus
import RunLoop

/// Recovery of adapters that reach no device, and of a bluetoothd that hangs.
extension KeeperState {
    /// Takes due steps. Call it while bluetoothd replies.
    mutating func recover(_ now: Uptime) {
        if !recovery.isCalm { for path in adapters.paths { escalate(path, now) } }
        guard !recovery.switchedOff.isEmpty, now >= recovery.nextSwitchOn else { return }
        for path in recovery.switchedOff.sorted() where isLeftOff(path) {
            recovery.nextSwitchOn = now + RecoveryMemory.switchOnPause
            effects.append(.recover(.switchOn(path)))
        }
    }

    private mutating func escalate(_ path: ObjectPath, _ now: Uptime) {
        guard let key = escalationKey(path), let escalation = recovery.escalations[key] else { return }
        switch escalation.phase {
        case .acting(let step, let until) where now >= until:
            finish(step, of: path, step == .rest ? nil : .timedOut, now)
        case .querying(let step, let until) where now >= until: linksCounted(nil, step, path, now)
        case .watching where adapters[path]?.facts.isPowered == true:
            let devices = adapters.index(for: path).map { connectable(on: $0) } ?? 0
            if let step = escalation.next(of: devices, at: now, earliest: { earliest($0) }) {
                begin(step, of: path, now)
            }
        default: break
        }
    }

    /// Restarts a bluetoothd that hasn't replied for five minutes.
    mutating func recoverHung(_ now: Uptime) {
        guard outage == .hung, let hung = recovery.hung, now >= hung.since + RecoveryMemory.hungUntilRestart,
            hung.externalLinks == 0, let time = earliest(.restart), now >= time
        else { return }
        recovery.noRestartBefore = now + RecoveryMemory.restartPause
        effects.append(.recover(.restartBluez))
    }

    /// Reports the times when a step may be due without an event.
    func recoveryDecisions(_ consider: (Uptime) -> Void) {
        if let hung = recovery.hung {
            consider(hung.since + RecoveryMemory.hungUntilRestart)
            consider(recovery.noRestartBefore)
        }
        if !recovery.switchedOff.isEmpty { consider(recovery.nextSwitchOn) }
        if recovery.isCalm { return }
        for escalation in recovery.escalations.values where escalation.isEscalating {
            escalation.decisions.forEach(consider)
            consider(recovery.noRestartBefore)
        }
    }

    /// Returns when a step is allowed; `nil` for never.
    private func earliest(_ step: AdapterEscalation.Step) -> Uptime? {
        switch step {
        case .rest, .replug: .start
        case .powerCycle: recovery.allowed.contains(.powerCycle) ? .start : nil
        case .restart: recovery.allowed.contains(.restartBluetooth) ? recovery.noRestartBefore : nil
        }
    }

    /// Whether blekeep left the adapter off.
    private func isLeftOff(_ path: ObjectPath) -> Bool {
        adapters[path]?.facts.isPowered == false && escalation(path)?.isActing != true
    }

    /// Turns on the adapters that blekeep turned off, before a sleep or the end.
    mutating func switchOnAll() {
        for path in recovery.switchedOff.sorted() where adapters[path] != nil {
            effects.append(.recover(.switchOn(path)))
        }
    }

    // MARK: Steps

    private mutating func begin(_ step: AdapterEscalation.Step, of path: ObjectPath, _ now: Uptime) {
        guard let key = escalationKey(path) else { return }
        switch step {
        case .rest:
            endDiscovery(path)
            recovery.escalations[key]?.act(step, until: now + AdapterEscalation.rest, at: now)
        case .powerCycle, .restart, .replug:
            recovery.escalations[key]?.query(for: step, until: now + Timing.linkCount)
            effects.append(.recover(.countLinks))
        }
    }

    private mutating func linksCounted(
        _ links: [ObjectPath: Int]?, _ step: AdapterEscalation.Step, _ path: ObjectPath, _ now: Uptime
    ) {
        guard let key = escalationKey(path) else { return }
        if step == .replug { return finish(step, of: path, nil, now) }
        let count = links.map { step == .restart ? externalLinks(nil, $0) : externalLinks(path, $0) }
        guard count == 0 else {
            let message = RecoveryMessages.refused(step, path, links: count)
            if recovery.escalations[key]?.refuse(step, at: now) == true { logRecovery(.warning, .refused, message) }
            return
        }
        // Another adapter's escalation may have been quicker.
        guard let time = earliest(step), now >= time else {
            _ = recovery.escalations[key]?.refuse(step, at: now)
            return
        }
        recovery.escalations[key]?.act(step, until: now + Timing.recovering, at: now)
        for id in devices.indices where step == .restart || adapter(of: id) == path { giveUpAttempt(id, now) }
        if step == .powerCycle {
            endDiscovery(path)
            recovery.switchedOff.insert(path)
            effects.append(.recover(.cycle(path)))
        } else {
            recovery.noRestartBefore = now + RecoveryMemory.restartPause
            effects.append(.recover(.restartBluez))
        }
    }

    /// Returns the number of other programs' connections on an adapter, or on all, with those to configured devices.
    private func externalLinks(_ path: ObjectPath?, _ counted: [ObjectPath: Int]) -> Int {
        let own = devices.count {
            $0.isConnected && !$0.link.phase.isOwn && (path == nil || $0.facts?.adapter == path)
        }
        return own + (path.map { counted[$0] ?? 0 } ?? counted.values.reduce(0, +))
    }

    /// The number of other programs' connections when bluetoothd last replied.
    var knownExternalLinks: Int {
        externalLinks(nil, adapters.reduce(into: [:]) { $0[$1.facts.path] = $1.facts.externalLinks })
    }

    mutating func recovered(_ answer: RecoveryAnswer, _ now: Uptime) {
        switch answer {
        case .linksCounted(let links):
            guard outage == nil, !reach.isBlind else { return }
            for path in adapters.paths {
                if case .querying(let step, _)? = escalation(path)?.phase { linksCounted(links, step, path, now) }
            }
        case .cycled(let path, let error):
            if escalation(path)?.isCycling == true { finish(.powerCycle, of: path, error, now) }
        case .restarted(let error): restarted(error, now)
        case .forgotten(let id, let error):
            logRecovery(.notice, .forget, RecoveryMessages.forgotten(devices[id].plan.name, error))
        case .preferred(let id, let error):
            logRecovery(.notice, .preferLowEnergy, RecoveryMessages.preferred(devices[id].plan.name, error))
        }
    }

    private mutating func restarted(_ error: BusError?, _ now: Uptime) {
        let isDenied = error.map { Remedy($0) == .denied } ?? false
        if isDenied { recovery.noRestartBefore = now + RecoveryMemory.deniedPause }
        let waiting = recovery.escalations.filter {
            if case .acting(.restart, _) = $0.value.phase { true } else { false }
        }
        for key in waiting.keys { recovery.escalations[key]?.finished(.restart, at: now) }
        hurryDevices(on: nil, now)
        logRecovery(error == nil ? .notice : .warning, .restart, RecoveryMessages.restarted(error, isDenied: isDenied))
    }

    private mutating func finish(_ step: AdapterEscalation.Step, of path: ObjectPath, _ error: BusError?, _ now: Uptime)
    {
        guard let key = escalationKey(path), let escalation = recovery.escalations[key] else { return }
        let evidence = escalation.evidence(at: now)
        recovery.escalations[key]?.finished(step, at: now)
        let isOn = adapters[path]?.facts.isPowered == true
        if isOn { recovery.switchedOff.remove(path) }
        switch step {
        case .rest: logRecovery(.debug, .rest, RecoveryMessages.rested(path, evidence))
        case .powerCycle:
            logRecovery(error == nil ? .notice : .warning, .powerCycle, RecoveryMessages.cycled(path, error))
            if !isOn, let facts = adapters[path]?.facts { logPower(of: facts) }
        case .restart: logRecovery(.warning, .restart, RecoveryMessages.restarted(error, isDenied: false))
        case .replug: logRecovery(.warning, .replug, RecoveryMessages.replug(path, allowed: recovery.allowed))
        }
        if step != .replug { hurryDevices(on: path, now) }
    }

    /// Ends the pauses of an adapter's devices, because the adapter may work again.
    private mutating func hurryDevices(on path: ObjectPath?, _ now: Uptime) {
        for id in devices.indices
        where devices[id].retry.userActionNeeded == nil && (path == nil || adapter(of: id) == path) {
            devices[id].retry.notBefore = min(devices[id].retry.notBefore, now)
        }
    }

    mutating func logRecovery(_ level: Notice.Level, _ code: FailureCode, _ message: String) {
        note(level, nil, message)
        effects.append(
            .commonAttempt(Attempt(phase: .recovery, failure: ReadingFailure(code, message))))
    }
}
