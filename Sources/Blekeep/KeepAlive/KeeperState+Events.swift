import DBus
import RunLoop

/// What happened, taken into the keeper's state.
extension KeeperState {
    mutating func absorb(_ event: Event, _ now: Uptime) {
        switch event {
        case .time: break
        case .stop: isStopping = true
        case .power(let status): powerChanged(status, now)
        case .attended(let isAttended): attend(isAttended, now)
        case .sleep(let cause): fallAsleep(cause)
        case .awake(let how): wakeUp(how, now)
        case .lost(let outage): lose(outage, now)
        case .bluez(let adapters, let found):
            if isOutageTold { note(.notice, nil, "bluetoothd is there again") }
            isOutageTold = false
            outage = nil
            activation = .never
            adopt(adapters)
            for id in devices.indices {
                update(id, found[id], now)
                if case .disconnecting = devices[id].activity, !devices[id].isConnected { abandonLink(id) }
            }
        case .device(let id, let facts): update(id, facts, now)
        case .heard(let id): hear(id, now)
        case .discovering(let path, let error): discoveryAnswered(path, error, now)
        case .discoveryEnded(let path): adapters[path]?.discovery = .off
        case .connected(let id, let link, let error): connectAnswered(id, link, error, now)
        case .polled(let id, let link, let result): polled(id, link, result, now)
        }
    }

    mutating func lose(_ outage: Outage, _ now: Uptime) {
        if self.outage == nil {
            let what = outage == .bluez ? "bluetoothd went away" : "the message bus was lost"
            note(.warning, nil, "\(what); waiting for it to come back")
            isOutageTold = true
        }
        self.outage = outage
        activation = outage == .bluez ? now + Timing.beforeActivation : .never
        activationPause = Timing.firstActivationPause
        adapters = [:]
        for id in devices.indices {
            devices[id].facts = nil
            abandonLink(id)
        }
    }

    /// Whatever was under way on this link is void from now on.
    mutating func abandonLink(_ id: DeviceID) {
        devices[id].link += 1
        devices[id].activity = .none
        devices[id].owns = false
        freeRadio(of: id)
    }

    mutating func freeRadio(of id: DeviceID) {
        for path in adapters.keys where adapters[path]?.connecting == id { adapters[path]?.connecting = nil }
    }

    mutating func adopt(_ facts: [AdapterFacts]) {
        let known = adapters
        adapters = [:]
        for adapter in facts {
            var state = known[adapter.path] ?? AdapterState(facts: adapter)
            if state.facts.isPowered != adapter.isPowered {
                state.discovery = .off
                let name = adapter.path.name
                if adapter.isPowered {
                    note(.notice, nil, "adapter \(name) is on again")
                } else {
                    note(.warning, nil, "adapter \(name) is off; waiting for it")
                }
            }
            state.facts = adapter
            adapters[adapter.path] = state
        }
    }

    mutating func update(_ id: DeviceID, _ facts: DeviceFacts?, _ now: Uptime) {
        let before = devices[id].facts
        devices[id].facts = facts
        if before == nil, facts != nil { found(id, now) }
        guard let facts else {
            if before != nil { vanished(id, now) }
            return
        }
        if case .connecting = devices[id].activity, facts.isConnected {
            devices[id].activity = .resolving(until: now + Timing.resolve)
        }
        if case .resolving = devices[id].activity, facts.isConnected, facts.isResolved {
            devices[id].activity = .none
            freeRadio(of: id)
        }
        guard before?.isConnected == true, !facts.isConnected else { return }
        if case .disconnecting = devices[id].activity { abandonLink(id) } else { dropped(id, now) }
    }

    mutating func found(_ id: DeviceID, _ now: Uptime) {
        devices[id].heardAt = now
        devices[id].searched = .zero
        guard let path = adapter(of: id), case .on(let since, _)? = adapters[path]?.discovery else { return }
        adapters[path]?.discovery = .on(since: since, lastFind: now)
    }

    mutating func hear(_ id: DeviceID, _ now: Uptime) {
        devices[id].heardAt = now
        // It is back on the air: there is no reason to wait out a long pause.
        if devices[id].notBefore > now + Timing.soonAfterHeard { devices[id].notBefore = now + Timing.soonAfterHeard }
    }

    /// The object went away: after a failed attempt BlueZ removes a device without answering.
    mutating func vanished(_ id: DeviceID, _ now: Uptime) {
        let activity = devices[id].activity
        abandonLink(id)
        switch activity {
        case .connecting:
            fail(
                id, in: .connect, ReadingFailure(code: "connect", message: "the connection could not be made"),
                .rediscover, now)
        case .resolving, .polling:
            fail(id, in: .link, ReadingFailure(code: "vanished", message: "BlueZ forgot the device"), .rediscover, now)
        case .none, .disconnecting: break
        }
    }

    mutating func dropped(_ id: DeviceID, _ now: Uptime) {
        let activity = devices[id].activity
        note(.notice, id, "link lost")
        // A poll under way ends by itself, and tells then; its link is this one still.
        if activity == .polling { return }
        abandonLink(id)
        if case .resolving = activity {
            fail(id, in: .resolve, ReadingFailure(code: "dropped", message: "the link was lost at once"), .retry, now)
        }
    }

    mutating func discoveryAnswered(_ path: ObjectPath, _ error: BusError?, _ now: Uptime) {
        guard adapters[path] != nil else { return }
        if let error {
            adapters[path]?.discovery = .off
            adapters[path]?.noDiscoveryBefore = now + Timing.afterRefusedDiscovery
            note(.debug, nil, "discovery was refused: \(error)")
        } else {
            adapters[path]?.discovery = .on(since: now, lastFind: now)
        }
    }

    mutating func connectAnswered(_ id: DeviceID, _ link: Int, _ error: BusError?, _ now: Uptime) {
        guard link == devices[id].link else { return }
        freeRadio(of: id)
        guard case .connecting = devices[id].activity else { return }
        guard let error else {
            // The state is the truth, not the reply: the link has to show within a moment.
            devices[id].activity = .connecting(until: now + Timing.afterConnect)
            return
        }
        let remedy = Remedy(error)
        if remedy == .adopt { return }
        cancel(id, now)
        fail(id, in: .connect, ReadingFailure(connect: error), remedy, now)
    }

    mutating func polled(_ id: DeviceID, _ link: Int, _ result: PollResult, _ now: Uptime) {
        guard link == devices[id].link, devices[id].activity == .polling else { return }
        devices[id].activity = .none
        if !devices[id].isConnected { abandonLink(id) }
        if result.values > 0 {
            succeeded(id)
            effects.append(.attempt(id, Attempt(phase: .read, failure: result.failure)))
        }
        if let ending = result.ending, ending == .relink || ending == .rediscover || ending == .wait {
            if devices[id].isConnected { disconnect(id, now) }
            devices[id].relinks += 1
            if result.values == 0, devices[id].relinks <= Timing.relinksPerTick, ending != .wait { return }
        }
        guard devices[id].tick != nil else { return }
        if result.values == 0, let failure = result.failure {
            devices[id].lastFailure = failure
            let pause = devices[id].backoff.fail()
            devices[id].notBefore = now + pause
            effects.append(.attempt(id, Attempt(phase: .read, failure: failure, remedy: result.ending, pause: pause)))
            lost(id, failure)
        }
        devices[id].endTick(good: result.values > 0)
        let outcome: TickOutcome = result.values == 0 ? .failed : result.isNew ? .newData : .noData
        devices[id].adapt(to: outcome, in: power.mode, at: now)
        if !isHeld(devices[id]) { disconnect(id, now) }
    }

    mutating func succeeded(_ id: DeviceID) {
        devices[id].backoff.succeed()
        devices[id].notBefore = .start
        devices[id].lastFailure = nil
        if devices[id].isLost { note(.notice, id, "reads again") }
        devices[id].isLost = false
    }
}

extension ReadingFailure {
    /// Why a Connect failed, in words.
    init(connect error: BusError) {
        self.init(code: "connect", message: "the connection could not be made (\(error))")
    }
}
