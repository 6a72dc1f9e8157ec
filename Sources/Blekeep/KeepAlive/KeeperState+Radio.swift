import DBus
import RunLoop

/// What a radio does: it makes one link at a time, or searches.
extension KeeperState {
    mutating func useRadio(_ place: Int, _ now: Uptime) {
        guard adapters[place].facts.isPowered, recovery.isCalm || !isActing(place) else { return }
        switch adapters[place].discovery {
        case .starting, .stopping: return
        case .on:
            let (candidates, missing) = wanting(on: place, now)
            guard !goesOnListening(on: place, candidates: candidates, missing: missing, now),
                adapters[place].discovery.hasSearchedEnough(
                    found: isUrgent(candidates, missing, on: place, now), missing: areSought(missing, candidates),
                    longest: longestSearch, at: now)
            else { return }
            stopDiscovery(place, missing, now)
        case .off:
            if let id = adapters[place].connecting, !devices[id].link.hasHadItsTurn(at: now) { return }
            let (candidates, missing) = wanting(on: place, now)
            let isListening = isAnyListenedTo(on: place, now)
            if let id = adapters[place].connecting {
                guard isWaitedFor(by: candidates, missing) else { return }
                giveWay(id, now)
            }
            guard adapters[place].connecting == nil, isListening || !candidates.isEmpty || !missing.isEmpty
            else { return }
            let mayBegin = now >= adapters[place].noDiscoveryBefore
            let isSearching =
                mayBegin && !isUrgent(candidates, missing, on: place, now) && missing.contains(where: maySearch)
            // Where all slots are taken, nobody's Connect is in the way of listening.
            if !isSearching, connectNext(candidates, place, now), !(isListening && isFull(place, now)) { return }
            if isSearching || isListening && mayBegin {
                adapters[place].discovery = .starting
                effects.append(.startDiscovery(adapters[place].facts.path))
            }
        }
    }

    /// The devices that are to be connected now: those that BlueZ has, and those that are to be found first.
    private func wanting(on place: Int, _ now: Uptime) -> (candidates: [DeviceID], missing: [DeviceID]) {
        var wanting: [DeviceID] = []
        for id in devices.indices where isWanting(id, on: place, now) {
            if wanting.isEmpty { wanting.reserveCapacity(devices.count) }
            wanting.append(id)
        }
        if wanting.isEmpty { return ([], []) }
        wanting = timely(wanting, on: place, now)
        let missing = wanting.filter { !devices[$0].isKnown }
        if !missing.isEmpty { wanting.removeAll { !devices[$0].isKnown } }
        return (wanting, missing)
    }

    private func isWanting(_ id: DeviceID, on place: Int, _ now: Uptime) -> Bool {
        devices[id].link.phase.isIdle && now >= devices[id].notBefore && !devices[id].isConnected
            && !devices[id].isFinished && self.place(of: id) == place
            && (devices[id].hasTick || isHeld(id, at: now)) && mayConnect(id, now)
    }

    /// Whether to connect comes before to search: not where all slots are taken, and links are only to be held; nor
    /// where only who is to be found can be relied on.
    private func isUrgent(
        _ candidates: [DeviceID], _ missing: [DeviceID], on place: Int, _ now: Uptime
    ) -> Bool {
        if isSoughtFirst(missing, candidates, now) { return false }
        return candidates.contains { devices[$0].hasTick } || !candidates.isEmpty && !isFull(place, now)
    }

    private mutating func stopDiscovery(_ place: Int, _ missing: [DeviceID], _ now: Uptime) {
        guard case .on(let since, _) = adapters[place].discovery else { return }
        adapters[place].discovery = .stopping
        effects.append(.stopDiscovery(adapters[place].facts.path))
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
    private mutating func connectNext(_ candidates: [DeviceID], _ place: Int, _ now: Uptime) -> Bool {
        guard candidates.isEmpty || !isFull(place, now) else {
            makeRoom(for: candidates, on: place, now)
            return true
        }
        let next = candidates.min { precedes($0, $1, now) }
        guard let next, let facts = devices[next].facts else { return false }
        let heard = devices[next].wasHeard(within: Timing.recently, of: now)
        let isShared = adapters[place].devices > 1
        // Where all take turns, who has just failed does not hold up the others for long.
        let isDoubtful = !hasSlotsForAll(with: next, at: now) && devices[next].backoff.failures > 0
        let within =
            isDoubtful
            ? Timing.connectDoubtful
            : heard ? Timing.connectHeard : isShared ? Timing.connectShared : Timing.connectUnheard
        devices[next].link.connect(within: within + .seconds(1), isAhead: !devices[next].hasTick, at: now)
        adapters[place].connecting = next
        effects.append(.connect(next, link: devices[next].link.number, facts.path, within: within))
        return true
    }
}
