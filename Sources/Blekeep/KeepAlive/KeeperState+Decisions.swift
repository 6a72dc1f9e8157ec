import DBus
import RunLoop

/// What is to be done, from the keeper's state.
extension KeeperState {
    mutating func decide(_ now: Uptime) {
        countDevices()
        let isAwakeForTicks = hasDevicesDue(at: now)
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
        if !isSettled, !isUnderWay(now) {
            isSettled = true
            effects.append(.settle)
        }
    }

    private func hasDevicesDue(at now: Uptime) -> Bool { devices.indices.contains { devices[$0].isDue(at: now) } }

    /// Whether a tick is being worked on.
    private func isUnderWay(_ now: Uptime) -> Bool {
        outage == nil
            && devices.indices.contains {
                devices[$0].tick != nil && now >= devices[$0].notBefore
                    && !(devices[$0].plan.mode.listens && devices[$0].isIdle)
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
        if isToGiveUp(id, now) { giveUpTick(id, now) }
    }

    private func isToGiveUp(_ id: DeviceID, _ now: Uptime) -> Bool { devices[id].tick != nil && now >= giveUp(id) }

    /// When a tick that could not be worked on so far is given up; a finite run waits a little for what may come.
    func giveUp(_ id: DeviceID) -> Uptime {
        guard devices[id].plan.count != nil, devices[id].activity != .polling, let tick = devices[id].tick
        else { return .never }
        let isHopeless = outage != nil || adapterState(of: id)?.facts.isPowered != true
        let patience = max(Timing.finiteTick, devices[id].plan.shortestInterval)
        return tick.deadline + (isHopeless ? Timing.finiteOutage : patience)
    }

    /// Why a device is not polled that it is not to blame for, by rank: the bus, bluetoothd, the adapter.
    func aboveCause(of id: DeviceID) -> ReadingFailure? {
        if let outage { return outage.failure }
        guard let adapter = adapterState(of: id) else {
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
        guard devices[id].facts == nil, !maySearch(id) else { return nil }
        return ReadingFailure(
            code: "power", message: "BlueZ has forgotten it, and nothing is searched for: \(power.reason)")
    }

    mutating func useLink(_ id: DeviceID, _ now: Uptime) {
        guard devices[id].isIdle, devices[id].isConnected, devices[id].plan.mode != .passive else { return }
        guard now >= devices[id].notBefore || devices[id].parked == nil, let facts = devices[id].facts else { return }
        if facts.isBlocked, let failure = ReadingFailure.remedy(.blocked, for: devices[id].plan.address) {
            return park(id, in: .link, failure, .blocked, now)
        }
        if !facts.isResolved {
            devices[id].activity = .resolving(until: now + Timing.resolve)
        } else if let tick = devices[id].tick, now >= devices[id].notBefore {
            devices[id].activity = .polling
            devices[id].polledPath = facts.path
            effects.append(.poll(id, link: devices[id].link, facts.path, tick))
        }
    }

    private mutating func countDevices() {
        for path in Array(adapters.keys) {
            let count = devicesToConnect(on: path)
            if adapters[path]?.devices != count { adapters[path]?.devices = count }
        }
    }

    private func devicesToConnect(on path: ObjectPath) -> Int {
        devices.indices.count { devices[$0].plan.mode != .passive && adapter(of: $0) == path }
    }

    /// The devices that are to be connected now: those that BlueZ has, and those that are to be found first.
    private func wanting(on path: ObjectPath, _ now: Uptime) -> (candidates: [DeviceID], missing: [DeviceID]) {
        var (candidates, missing): ([DeviceID], [DeviceID]) = ([], [])
        for id in devices.indices {
            guard devices[id].isIdle, !devices[id].isConnected, adapter(of: id) == path,
                devices[id].wantsLink(holding: isHeld(id, at: now), at: now), mayConnect(id, now)
            else { continue }
            if devices[id].facts == nil { missing.append(id) } else { candidates.append(id) }
        }
        return (candidates, missing)
    }

    mutating func useRadio(_ path: ObjectPath, _ now: Uptime) {
        guard let adapter = adapters[path], adapter.facts.isPowered, ladder(path)?.isActing != true else { return }
        let (candidates, missing) = wanting(on: path, now)
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
            guard adapter.connecting == nil, isListening || !candidates.isEmpty || !missing.isEmpty else { return }
            // Where all slots are taken, nobody's Connect is in the way of listening.
            if connectNext(candidates, path, now), !(isListening && isFull(path, now)) { return }
            let isSearching = candidates.isEmpty && missing.contains(where: maySearch)
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
        let isDoubtful = !hasSlotsForAll(with: next, at: now) && devices[next].backoff.failures > 0
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
