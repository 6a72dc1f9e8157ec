import DBus
import RunLoop

/// The devices' requests to their adapters, and the actions of the adapters' queues.
extension KeeperState {
    mutating func useRadio(_ index: Int, _ now: Uptime) {
        settleShortage(on: index, now)
        guard adapters[index].facts.isPowered, recovery.isCalm || !isActing(index), adapters[index].queue.mayDecide,
            isNeeded(index, now)
        else { return }
        let actions = adapters[index].queue.decide(
            contenders(on: index, now), external: adapters[index].facts.externalLinks, longestSearch: longestSearch,
            at: now)
        for action in actions { perform(action, on: adapters[index].facts.path, now) }
    }

    /// Whether any device may need the adapter. At most steps, none does.
    private func isNeeded(_ index: Int, _ now: Uptime) -> Bool {
        var isNeeded = adapters[index].queue.discovery != .off
        for id in devices.indices where needsRadio(id, now) && self.adapterIndex(of: id) == index {
            if attempt(id, now) == .attempt(hasHadItsTurn: false) { return false }
            isNeeded = true
        }
        return isNeeded
    }

    /// Whether the device may need a connection or discovery, or is connecting.
    private func needsRadio(_ id: DeviceIndex, _ now: Uptime) -> Bool {
        if devices[id].link.phase.isIdle, !devices[id].isConnected, now >= devices[id].retry.notBefore { return true }
        return devices[id].plan.mode.listens || devices[id].link.phase.isConnecting
    }

    private mutating func perform(_ action: RadioQueue.Action, on path: ObjectPath, _ now: Uptime) {
        switch action {
        case .connect(let id, let within): connect(id, within: within, now)
        case .giveWay(let id): giveWay(id, now)
        case .makeRoom(let id): disconnect(id, now)
        case .startDiscovery: effects.append(.startDiscovery(path))
        case .stopDiscovery: effects.append(.stopDiscovery(path))
        case .searchFailed(let missing, let length): searchFailed(for: missing, length, now)
        }
    }

    private mutating func connect(_ id: DeviceIndex, within length: Duration, _ now: Uptime) {
        guard let path = devices[id].facts?.path else { return }
        devices[id].link.connect(within: length + .seconds(1), isAhead: !devices[id].hasTick, at: now)
        effects.append(.connect(id, link: devices[id].link.number, path, within: length))
    }

    private mutating func giveWay(_ id: DeviceIndex, _ now: Uptime) {
        let isOver = now - devices[id].link.triedAt >= Timing.minimumAttempt
        cancel(id, now)
        guard isOver else { return }
        let failure = ReadingFailure(.connect, "blekeep stopped connecting to give other devices a turn")
        fail(id, in: .connect, failure, .retry, now)
    }

    private mutating func searchFailed(for missing: [DeviceIndex], _ length: Duration, _ now: Uptime) {
        for id in missing {
            devices[id].contact.missed(after: length, at: now)
            if devices[id].contact.searched >= longestSearch {
                devices[id].contact.searched = .zero
                fail(id, in: .search, .notHeard, .rediscover, now)
            }
        }
    }

    // MARK: Requests

    private func contenders(on index: Int, _ now: Uptime) -> [Contender] {
        let owners = slotOwners(on: index, now)
        return devices.indices.compactMap { self.adapterIndex(of: $0) == index ? contender($0, owners, now) : nil }
    }

    private func contender(_ id: DeviceIndex, _ owners: SlotOwners, _ now: Uptime) -> Contender {
        var contender = Contender(
            turn: devices[id].turn(at: now), contact: devices[id].contact)
        contender.wish = wish(id, owners, now)
        contender.connection = connection(id, owners, now)
        contender.nextTick = devices[id].nextTick
        contender.isConnectable = devices[id].plan.mode != .passive
        contender.isExpected = mayWantConnection(id) && devices[id].retry.isReliable
        contender.isListenedTo = isListenedTo(id, now)
        return contender
    }

    private func mayWantConnection(_ id: DeviceIndex) -> Bool {
        if devices[id].link.phase.isDisconnecting { return true }
        return devices[id].link.phase.isIdle && !devices[id].isConnected && devices[id].plan.mode != .passive
    }

    private func wish(_ id: DeviceIndex, _ owners: SlotOwners, _ now: Uptime) -> Contender.Wish {
        guard devices[id].link.phase.isIdle, now >= devices[id].retry.notBefore, !devices[id].isConnected,
            !devices[id].isFinished, devices[id].hasTick || isHeld(id, owners), mayConnect(id, now)
        else { return .none }
        return devices[id].isKnown ? .connection : .search(isAllowed: maySearch(id))
    }

    private func connection(_ id: DeviceIndex, _ owners: SlotOwners, _ now: Uptime) -> Contender.Connection {
        let isUp = devices[id].isConnected
        if let attempt = attempt(id, now) { return attempt }
        switch devices[id].link.phase {
        case .disconnecting: return .ending(isUp: isUp)
        case .held where isUp && !devices[id].hasTick && !owners.contains(id): return .spare
        case .released, .held, .connecting, .watching, .resolving, .polling: return isUp ? .up : .none
        }
    }

    /// blekeep's attempt to connect it, if one is in progress.
    private func attempt(_ id: DeviceIndex, _ now: Uptime) -> Contender.Connection? {
        guard devices[id].link.phase.isConnecting else { return nil }
        return .attempt(hasHadItsTurn: devices[id].link.hasHadItsTurn(at: now))
    }

    /// Whether the device needs discovery for its advertisements.
    private func isListenedTo(_ id: DeviceIndex, _ now: Uptime) -> Bool {
        guard devices[id].plan.mode.listens, !devices[id].isFinished, !devices[id].isPaused, maySearch(id) else {
            return false
        }
        if devices[id].plan.mode == .passive { return true }
        return devices[id].hasTick && devices[id].link.phase.isIdle && !devices[id].isConnected
            && now >= devices[id].retry.notBefore
    }

    /// Whether a device may be connected now.
    private func mayConnect(_ id: DeviceIndex, _ now: Uptime) -> Bool {
        switch devices[id].plan.mode {
        case .passive: false
        case .heard: devices[id].contact.wasHeard(within: Timing.justHeard, of: now)
        case .auto, .hold, .release: true
        }
    }

    // MARK: Held connections

    /// Whether a device's connection is held between its ticks.
    func isHeld(_ id: DeviceIndex, at now: Uptime) -> Bool {
        isHeld(id, adapterIndex(of: id).map { slotOwners(on: $0, now) } ?? .only([]))
    }

    func isHeld(_ id: DeviceIndex, _ owners: SlotOwners) -> Bool {
        devices[id].plan.isHeld(every: devices[id].shortestInterval, hasSlot: owners.contains(id))
    }

    /// Returns the devices with a dedicated slot of an adapter.
    func slotOwners(on index: Int, _ now: Uptime) -> SlotOwners {
        let slots = adapters[index].queue.slots.limit(at: now) - adapters[index].facts.externalLinks
        if devices.count(where: { !$0.hasLeft }) <= slots { return .all }
        return SlotOwners(
            of: devices.indices.compactMap { isConnectable($0, on: index) ? devices[$0].linkWorth : nil }, slots: slots)
    }

    /// Returns the number of devices that blekeep connects through an adapter.
    func connectable(on index: Int) -> Int { devices.indices.count { isConnectable($0, on: index) } }

    func isConnectable(_ id: DeviceIndex, on index: Int) -> Bool {
        devices[id].plan.mode != .passive && !devices[id].hasLeft && self.adapterIndex(of: id) == index
    }

    /// Whether all slots of an adapter are in use.
    func isFull(_ index: Int, _ now: Uptime) -> Bool {
        let own = ownLinks(on: adapters[index].facts.path)
        return adapters[index].queue.slots.isFull(
            with: own + adapters[index].facts.externalLinks, own: own, at: now)
    }
}

extension DeviceState {
    /// Returns the device's turn: an interval after the last one. After a failure, two intervals after its pause, but at
    /// least 40 s.
    func turn(at now: Uptime) -> Turn {
        let last = max(link.triedAt, contact.readAt ?? .start, contact.searchedAt ?? .start)
        let interval = shortestInterval ?? .seconds(60)
        let due =
            retry.backoff.failures == 0
            ? last + interval : max(last, retry.notBefore) + max(interval, .seconds(20)) * 2
        return Turn(hasTick: hasTick, due: due, isNear: contact.isNear(at: now), worth: linkWorth)
    }

    var linkWorth: LinkWorth {
        var worth = plan.worth(of: id, place: place, failures: retry.backoff.failures)
        worth.subscribes = worth.subscribes || history.isSubscribed
        return worth
    }
}
