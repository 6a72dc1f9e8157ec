import DBus
import RunLoop

/// What a radio does: it makes one link at a time, or searches.
extension KeeperState {
    mutating func useRadio(_ path: ObjectPath, _ now: Uptime) {
        guard let adapter = adapters[path], adapter.facts.isPowered, ladder(path)?.isActing != true else { return }
        let (candidates, missing) = wanting(on: path, now)
        switch adapter.discovery {
        case .starting, .stopping: return
        case .on:
            guard !goesOnListening(on: path, candidates: candidates, missing: missing, now),
                adapter.hasSearchedEnough(
                    found: isUrgent(candidates, missing, on: path, now), missing: areSought(missing, candidates),
                    longest: longestSearch, at: now)
            else { return }
            stopDiscovery(path, missing, now)
        case .off:
            let isListening = !listened(on: path, now).isEmpty
            if let id = adapter.connecting, givesWay(id, to: candidates, missing, now) { giveWay(id, now) }
            guard adapters[path]?.connecting == nil, isListening || !candidates.isEmpty || !missing.isEmpty
            else { return }
            let mayBegin = now >= adapter.noDiscoveryBefore
            let isSearching =
                mayBegin && !isUrgent(candidates, missing, on: path, now) && missing.contains(where: maySearch)
            // Where all slots are taken, nobody's Connect is in the way of listening.
            if !isSearching, connectNext(candidates, path, now), !(isListening && isFull(path, now)) { return }
            if isSearching || isListening && mayBegin {
                adapters[path]?.discovery = .starting
                effects.append(.startDiscovery(path))
            }
        }
    }

    /// The devices that are to be connected now: those that BlueZ has, and those that are to be found first.
    private func wanting(on path: ObjectPath, _ now: Uptime) -> (candidates: [DeviceID], missing: [DeviceID]) {
        var wanting: [DeviceID] = []
        for id in devices.indices {
            guard devices[id].isIdle, !devices[id].isConnected, !devices[id].isFinished,
                now >= devices[id].notBefore, adapter(of: id) == path
            else { continue }
            if devices[id].tick != nil || isHeld(id, at: now), mayConnect(id, now) { wanting.append(id) }
        }
        if wanting.isEmpty { return ([], []) }
        wanting = timely(wanting, on: path, now)
        return (wanting.filter { devices[$0].facts != nil }, wanting.filter { devices[$0].facts == nil })
    }

    /// Whether to connect comes before to search: not where all slots are taken, and links are only to be held; nor
    /// where only who is to be found can be relied on.
    private func isUrgent(
        _ candidates: [DeviceID], _ missing: [DeviceID], on path: ObjectPath, _ now: Uptime
    ) -> Bool {
        if isSoughtFirst(missing, candidates, now) { return false }
        return candidates.contains { devices[$0].tick != nil } || !candidates.isEmpty && !isFull(path, now)
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
        devices[next].isAhead = devices[next].tick == nil
        devices[next].isAnswered = false
        devices[next].link += 1
        devices[next].owns = true
        adapters[path]?.connecting = next
        effects.append(.connect(next, link: devices[next].link, facts.path, within: within))
        return true
    }
}
