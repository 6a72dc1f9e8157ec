import DBus
import RunLoop

/// What is to be done, from the keeper's state.
extension KeeperState {
    mutating func decide(_ now: Uptime) {
        for id in devices.indices {
            expire(id, now)
            if let due = devices[id].takeDue(at: now) {
                if devices[id].tick != nil { endOverdueTick(id, now) }
                devices[id].begin(due)
                isSettled = false
                // A pause that lasts beyond this tick: nothing will come of it.
                if devices[id].notBefore >= devices[id].nextTick { giveUpTick(id, now) }
            }
            listen(id, now)
        }
        if now >= activation {
            effects.append(.activate)
            activation = now + activationPause
            activationPause = min(activationPause * 2, Timing.longestActivationPause)
        }
        if health.isDue(at: now) { effects.append(.ask) }
        if outage == nil {
            for id in devices.indices { useLink(id, now) }
            for path in adapters.keys.sorted() { useRadio(path, now) }
        }
        let isUnderWay = devices.contains {
            $0.tick != nil && outage == nil && now >= $0.notBefore && !($0.plan.mode.listens && $0.isIdle)
        }
        if !isSettled, !isUnderWay {
            isSettled = true
            effects.append(.settle)
        }
    }

    /// Ends what has taken too long.
    mutating func expire(_ id: DeviceID, _ now: Uptime) {
        switch devices[id].activity {
        case .connecting(let until) where now >= until:
            learnSlots(id, .retry, now)
            cancel(id, now)
            let failure = ReadingFailure(code: "connect", message: "the connection was not made in time")
            fail(id, in: .connect, failure, .retry, now)
        case .watching(let until) where now >= until:
            abandonLink(id)
            let failure = ReadingFailure(code: "connect", message: "somebody else's attempt to connect came to nothing")
            fail(id, in: .connect, failure, .retry, now)
        case .resolving(let until) where now >= until:
            disconnect(id, now)
            let failure = ReadingFailure(code: "services", message: "the services were not resolved in 30 s")
            fail(id, in: .resolve, failure, .retry, now)
        case .disconnecting(let until) where now >= until: endless(id, now)
        default: break
        }
        if devices[id].tick != nil, devices[id].activity != .polling, now >= giveUp(devices[id]) {
            giveUpTick(id, now)
        }
    }

    /// When a tick that could not be worked on so far is given up; a finite run waits a little for what may come.
    func giveUp(_ device: DeviceState) -> Uptime {
        guard let tick = device.tick, device.activity != .polling else { return .never }
        guard device.plan.count != nil else { return .never }
        let isHopeless = outage != nil || adapterState(of: device)?.facts.isPowered != true
        return tick.deadline + (isHopeless ? Timing.finiteOutage : max(Timing.finiteTick, device.plan.shortestInterval))
    }

    /// Why a device is not polled that it is not to blame for, by rank: the bus, bluetoothd, the adapter.
    func aboveCause(of id: DeviceID) -> ReadingFailure? {
        if let outage { return outage.failure }
        guard let adapter = adapterState(of: devices[id]) else {
            return ReadingFailure(code: "no-adapter", message: "there is no such Bluetooth adapter")
        }
        if adapter.facts.isPowered { return nil }
        return ReadingFailure(
            code: "adapter-off",
            message: "the adapter \(adapter.facts.path.name) is off; turn it on with bluetoothctl power on")
    }

    /// What keeps a device from being polled, the highest cause first.
    func cause(of id: DeviceID) -> ReadingFailure? {
        if let above = aboveCause(of: id) { return above }
        if let parked = devices[id].parked { return parked }
        guard devices[id].facts == nil, !maySearch(devices[id]) else { return nil }
        return ReadingFailure(
            code: "power", message: "BlueZ has forgotten it, and nothing is searched for: \(power.reason)")
    }

    mutating func useLink(_ id: DeviceID, _ now: Uptime) {
        let device = devices[id]
        guard device.isIdle, device.plan.mode != .passive, let facts = device.facts, facts.isConnected else { return }
        guard now >= devices[id].notBefore || devices[id].parked == nil else { return }
        if facts.isBlocked, let failure = ReadingFailure.remedy(.blocked, for: device.plan.address) {
            return park(id, in: .link, failure, .blocked, now)
        }
        if !facts.isResolved {
            devices[id].activity = .resolving(until: now + Timing.resolve)
        } else if let tick = device.tick, now >= device.notBefore {
            devices[id].activity = .polling
            effects.append(.poll(id, link: device.link, facts.path, tick))
        }
    }

    mutating func useRadio(_ path: ObjectPath, _ now: Uptime) {
        guard let adapter = adapters[path], adapter.facts.isPowered else { return }
        let mine = devices.filter { self.adapter(of: $0.id) == path }
        let wanting = mine.filter {
            $0.isIdle && !$0.isConnected && $0.wantsLink(holding: isHeld($0, at: now), at: now) && mayConnect($0, now)
        }
        let missing = wanting.filter { $0.facts == nil }
        let candidates = wanting.filter { $0.facts != nil }
        switch adapter.discovery {
        case .starting, .stopping: return
        case .on:
            guard !goesOnListening(on: path, mine, candidates: candidates, missing: missing, now),
                adapter.hasSearchedEnough(found: !candidates.isEmpty, missing: !missing.isEmpty, at: now)
            else { return }
            stopDiscovery(path, missing, now)
        case .off:
            guard adapter.connecting == nil else { return }
            let isListening = mine.contains { isListenedTo($0, now) }
            // Where all slots are taken, nobody's Connect is in the way of listening.
            if connectNext(candidates, among: mine, path, now), !(isListening && isFull(path, now)) { return }
            let isSearching = candidates.isEmpty && missing.contains(where: maySearch)
            if isSearching || isListening, now >= adapter.noDiscoveryBefore {
                adapters[path]?.discovery = .starting
                effects.append(.startDiscovery(path))
            }
        }
    }

    mutating func stopDiscovery(_ path: ObjectPath, _ missing: [DeviceState], _ now: Uptime) {
        guard case .on(let since, _)? = adapters[path]?.discovery else { return }
        adapters[path]?.discovery = .stopping
        effects.append(.stopDiscovery(path))
        searchedInVain(for: missing, since: since, now)
    }

    mutating func searchedInVain(for missing: [DeviceState], since: Uptime, _ now: Uptime) {
        for device in missing {
            devices[device.id].searched += now - since
            if devices[device.id].searched >= AdapterState.longest {
                devices[device.id].searched = .zero
                fail(device.id, in: .search, .notHeard, .wait, now)
            }
        }
    }

    /// Starts one Connect. Whether the radio is taken.
    mutating func connectNext(
        _ candidates: [DeviceState], among mine: [DeviceState], _ path: ObjectPath, _ now: Uptime
    ) -> Bool {
        guard !isFull(path, now) || candidates.isEmpty else {
            makeRoom(for: candidates, among: mine, now)
            return true
        }
        // Ticks come before links to hold, and who fails again and again after all others; then those heard of late,
        // then who has waited longest.
        let next = candidates.min { left, right in
            if (left.tick != nil) != (right.tick != nil) { return left.tick != nil }
            let failures = (left.backoff.failures, right.backoff.failures)
            if failures.0 != failures.1 { return failures.0 < failures.1 }
            let heard = (
                left.wasHeard(within: Timing.recently, of: now), right.wasHeard(within: Timing.recently, of: now)
            )
            if heard.0 != heard.1 { return heard.0 }
            return (left.tick?.deadline ?? .never, left.id) < (right.tick?.deadline ?? .never, right.id)
        }
        guard let next, let facts = next.facts else { return false }
        let heard = next.wasHeard(within: Timing.recently, of: now)
        let within = heard ? Timing.connectHeard : mine.count > 1 ? Timing.connectShared : Timing.connectUnheard
        devices[next.id].activity = .connecting(until: now + within + .seconds(1))
        devices[next.id].link += 1
        devices[next.id].owns = true
        adapters[path]?.connecting = next.id
        effects.append(.connect(next.id, link: devices[next.id].link, facts.path, within: within))
        return true
    }

    /// All slots are taken: a link of ours that is only held for the next time goes for a device whose tick waits.
    private mutating func makeRoom(for candidates: [DeviceState], among mine: [DeviceState], _ now: Uptime) {
        guard candidates.contains(where: { $0.tick != nil }) else { return }
        let closing = mine.contains { if case .disconnecting = $0.activity { true } else { false } }
        let idle = mine.filter { $0.isIdle && $0.isConnected && $0.owns && $0.tick == nil }
        guard !closing, let longest = idle.max(by: { ($0.nextTick, $0.id) < ($1.nextTick, $1.id) }) else { return }
        disconnect(longest.id, now)
    }
}
