import DBus
import RunLoop

/// What is to be done, from the keeper's state.
extension KeeperState {
    mutating func decide(_ now: Uptime) {
        countDevices()
        let isAwakeForTicks = devices.contains { $0.isDue(at: now) }
        for id in devices.indices {
            expire(id, now)
            if let due = devices[id].takeDue(at: now, inCompany: isAwakeForTicks) {
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
        recoverHung(now)
        if outage == nil, !isBlind {
            recover(now)
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
            if !devices[id].isAnswered { learnSlots(id, .retry, now) }
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
            devices[id].polledPath = facts.path
            effects.append(.poll(id, link: device.link, facts.path, tick))
        }
    }

    private mutating func countDevices() {
        for path in adapters.keys { adapters[path]?.devices = 0 }
        for id in devices.indices where devices[id].plan.mode != .passive {
            if let path = adapter(of: id) { adapters[path]?.devices += 1 }
        }
    }

    mutating func useRadio(_ path: ObjectPath, _ now: Uptime) {
        guard let adapter = adapters[path], adapter.facts.isPowered, ladder(path)?.isActing != true else { return }
        let wanting = devices.indices.filter { id in
            devices[id].isIdle && !devices[id].isConnected && self.adapter(of: id) == path
                && devices[id].wantsLink(holding: isHeld(devices[id], at: now), at: now) && mayConnect(id, now)
        }
        let missing = wanting.filter { devices[$0].facts == nil }
        let candidates = wanting.filter { devices[$0].facts != nil }
        switch adapter.discovery {
        case .starting, .stopping: return
        case .on:
            guard !goesOnListening(on: path, candidates: candidates, missing: missing, now),
                adapter.hasSearchedEnough(
                    found: !candidates.isEmpty, missing: !missing.isEmpty, longest: longestSearch, at: now)
            else { return }
            stopDiscovery(path, missing, now)
        case .off:
            let isListening = !listened(on: path, now).isEmpty
            guard adapter.connecting == nil, isListening || !wanting.isEmpty else { return }
            // Where all slots are taken, nobody's Connect is in the way of listening.
            if connectNext(candidates, path, now), !(isListening && isFull(path, now)) { return }
            let isSearching = candidates.isEmpty && missing.contains { maySearch(devices[$0]) }
            if isSearching || isListening, now >= adapter.noDiscoveryBefore {
                adapters[path]?.discovery = .starting
                effects.append(.startDiscovery(path))
            }
        }
    }

    mutating func stopDiscovery(_ path: ObjectPath, _ missing: [DeviceID], _ now: Uptime) {
        guard case .on(let since, _)? = adapters[path]?.discovery else { return }
        adapters[path]?.discovery = .stopping
        effects.append(.stopDiscovery(path))
        searchedInVain(for: missing, since: since, now)
    }

    mutating func searchedInVain(for missing: [DeviceID], since: Uptime, _ now: Uptime) {
        for id in missing {
            devices[id].searched += now - since
            if devices[id].searched >= longestSearch {
                devices[id].searched = .zero
                fail(id, in: .search, .notHeard, .rediscover, now)
            }
        }
    }

    /// Starts one Connect. Whether the radio is taken.
    mutating func connectNext(_ candidates: [DeviceID], _ path: ObjectPath, _ now: Uptime) -> Bool {
        guard candidates.isEmpty || !isFull(path, now) else {
            makeRoom(for: candidates, on: path, now)
            return true
        }
        let next = candidates.min { precedes($0, $1, now) }
        guard let next, let facts = devices[next].facts else { return false }
        let heard = devices[next].wasHeard(within: Timing.recently, of: now)
        let isShared = (adapters[path]?.devices ?? 1) > 1
        // Where all take turns, who has just failed does not hold up the others for long.
        let isDoubtful = !hasSlotsForAll(with: devices[next], at: now) && devices[next].backoff.failures > 0
        let within =
            isDoubtful
            ? Timing.connectDoubtful
            : heard ? Timing.connectHeard : isShared ? Timing.connectShared : Timing.connectUnheard
        devices[next].activity = .connecting(until: now + within + .seconds(1))
        devices[next].triedAt = now
        devices[next].isAnswered = false
        devices[next].link += 1
        devices[next].owns = true
        adapters[path]?.connecting = next
        effects.append(.connect(next, link: devices[next].link, facts.path, within: within))
        return true
    }

    /// Ticks come before links to hold, and who had no turn for long before all others; who fails again and again comes
    /// last; then those heard of late, then who has waited longest.
    private func precedes(_ left: DeviceID, _ right: DeviceID, _ now: Uptime) -> Bool {
        let (a, b) = (devices[left], devices[right])
        if (a.tick != nil) != (b.tick != nil) { return a.tick != nil }
        let (aStarves, bStarves) = (a.starves(at: now), b.starves(at: now))
        if aStarves != bStarves { return aStarves }
        if a.backoff.failures != b.backoff.failures { return a.backoff.failures < b.backoff.failures }
        let (aHeard, bHeard) = (
            a.wasHeard(within: Timing.recently, of: now), b.wasHeard(within: Timing.recently, of: now)
        )
        if aHeard != bHeard { return aHeard }
        return (a.tick?.deadline ?? .never, left) < (b.tick?.deadline ?? .never, right)
    }

    /// All slots are taken: a link of ours that is only held for the next time goes for a device whose tick waits.
    private mutating func makeRoom(for candidates: [DeviceID], on path: ObjectPath, _ now: Uptime) {
        guard candidates.contains(where: { devices[$0].tick != nil }) else { return }
        let mine = devices.indices.filter { devices[$0].facts?.adapter == path }
        guard !mine.contains(where: { if case .disconnecting = devices[$0].activity { true } else { false } })
        else { return }
        let idle = mine.filter {
            devices[$0].isIdle && devices[$0].isConnected && devices[$0].owns && devices[$0].tick == nil
        }
        guard let longest = idle.max(by: { (devices[$0].nextTick, $0) < (devices[$1].nextTick, $1) }) else { return }
        disconnect(longest, now)
    }
}
