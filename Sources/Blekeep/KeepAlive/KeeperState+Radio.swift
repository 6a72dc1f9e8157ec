import DBus
import RunLoop

/// What the devices want of the adapters' radios, and what comes of what their queues decide.
extension KeeperState {
    mutating func useRadio(_ place: Int, _ now: Uptime) {
        guard adapters[place].facts.isPowered, recovery.isCalm || !isActing(place) else { return }
        let actions = adapters[place].queue.decide(
            contenders(on: place, now), foreign: adapters[place].facts.foreignLinks, longestSearch: longestSearch,
            at: now)
        settleShortage(on: place, now)
        for action in actions { perform(action, on: adapters[place].facts.path, now) }
    }

    private mutating func perform(_ action: RadioQueue.Action, on path: ObjectPath, _ now: Uptime) {
        switch action {
        case .connect(let id, let within): connect(id, within: within, now)
        case .giveWay(let id): giveWay(id, now)
        case .makeRoom(let id): disconnect(id, now)
        case .startDiscovery: effects.append(.startDiscovery(path))
        case .stopDiscovery: effects.append(.stopDiscovery(path))
        case .searchedInVain(let missing, let length): searchedInVain(for: missing, length, now)
        }
    }

    private mutating func connect(_ id: DeviceID, within length: Duration, _ now: Uptime) {
        guard let path = devices[id].facts?.path else { return }
        devices[id].link.connect(within: length + .seconds(1), isAhead: !devices[id].hasTick, at: now)
        effects.append(.connect(id, link: devices[id].link.number, path, within: length))
    }

    private mutating func giveWay(_ id: DeviceID, _ now: Uptime) {
        let isOver = now - devices[id].link.triedAt >= Timing.patience
        cancel(id, now)
        guard isOver else { return }
        let failure = ReadingFailure(.connect, "the connection was not made before others' turn")
        fail(id, in: .connect, failure, .retry, now)
    }

    private mutating func searchedInVain(for missing: [DeviceID], _ length: Duration, _ now: Uptime) {
        for id in missing {
            devices[id].contact.searched += length
            if devices[id].contact.searched >= longestSearch {
                devices[id].contact.searched = .zero
                fail(id, in: .search, .notHeard, .rediscover, now)
            }
        }
    }

    // MARK: What the devices want

    func contenders(on place: Int, _ now: Uptime) -> [Contender] {
        devices.indices.filter { self.place(of: $0) == place }.map { contender($0, now) }
    }

    private func contender(_ id: DeviceID, _ now: Uptime) -> Contender {
        let device = devices[id]
        var contender = Contender(
            turn: device.turn(isNear: device.contact.isNear(at: now)), heardAt: device.contact.heardAt)
        contender.wish = wish(id, now)
        contender.connection = connection(id, now)
        contender.nextTick = device.nextTick
        contender.isConnectable = device.plan.mode != .passive
        let mayWantConnection =
            device.link.phase.isDisconnecting
            || device.link.phase.isIdle && !device.isConnected && contender.isConnectable
        contender.isExpected = mayWantConnection && device.retry.backoff.failures == 0 && device.retry.parked == nil
        contender.isListenedTo = isListenedTo(id, now)
        return contender
    }

    private func wish(_ id: DeviceID, _ now: Uptime) -> Contender.Wish {
        guard devices[id].link.phase.isIdle, now >= devices[id].retry.notBefore, !devices[id].isConnected,
            !devices[id].isFinished, devices[id].hasTick || isHeld(id, at: now), mayConnect(id, now)
        else { return .none }
        return devices[id].isKnown ? .connection : .search(isAllowed: maySearch(id))
    }

    private func connection(_ id: DeviceID, _ now: Uptime) -> Contender.Connection {
        let isUp = devices[id].isConnected
        switch devices[id].link.phase {
        case .connecting: return .attempt(hasHadItsTurn: devices[id].link.hasHadItsTurn(at: now))
        case .disconnecting: return .ending(isUp: isUp)
        case .held where isUp && !devices[id].hasTick && !hasPlace(id, at: now): return .spare
        case .released, .held, .watching, .resolving, .polling: return isUp ? .up : .none
        }
    }

    /// Whether advertisements of it are wanted.
    func isListenedTo(_ id: DeviceID, _ now: Uptime) -> Bool {
        guard devices[id].plan.mode.listens, !devices[id].isFinished, maySearch(id) else { return false }
        if devices[id].plan.mode == .passive { return true }
        return devices[id].hasTick && devices[id].link.phase.isIdle && !devices[id].isConnected
            && now >= devices[id].retry.notBefore
    }

    /// Whether a device may be connected now.
    private func mayConnect(_ id: DeviceID, _ now: Uptime) -> Bool {
        switch devices[id].plan.mode {
        case .passive: false
        case .heard: devices[id].contact.wasHeard(within: Timing.justHeard, of: now)
        case .auto, .hold, .release: true
        }
    }

    // MARK: Whose connections are held

    /// Whether a device's connection is held between its ticks.
    func isHeld(_ id: DeviceID, at now: Uptime) -> Bool {
        switch devices[id].plan.mode {
        case .hold: devices[id].shortestInterval != nil
        case .release, .passive, .heard: false
        case .auto:
            switch devices[id].shortestInterval {
            case nil: false
            case _? where devices[id].plan.subscribes: true
            case let interval?: interval <= Timing.worthHolding && hasPlace(id, at: now)
            }
        }
    }

    /// Whether a slot of its adapter is its own.
    func hasPlace(_ id: DeviceID, at now: Uptime) -> Bool {
        guard let place = place(of: id) else { return false }
        let slots = adapters[place].queue.slots.limit(at: now) - adapters[place].facts.foreignLinks
        let count = connectable(on: place)
        let places = RadioQueue.ownSlots(of: count, slots: slots)
        guard places > 0, places < count else { return places > 0 }
        let worth = devices[id].turn(isNear: true).worth
        return devices.indices.count { devices[$0].turn(isNear: true).worth < worth && isConnectable($0, on: place) }
            < places
    }

    /// How many devices are connected through an adapter, now and then.
    func connectable(on place: Int) -> Int { devices.indices.count { isConnectable($0, on: place) } }

    func isConnectable(_ id: DeviceID, on place: Int) -> Bool {
        devices[id].plan.mode != .passive && self.place(of: id) == place
    }

    /// Whether the adapter holds as many connections as it can.
    func isFull(_ place: Int, _ now: Uptime) -> Bool {
        let ours = linksOfOurs(on: adapters[place].facts.path)
        return adapters[place].queue.slots.isFull(
            with: ours + adapters[place].facts.foreignLinks, ours: ours, at: now)
    }
}

extension DeviceState {
    /// Its turn at the radio: an interval after the last one. One that has failed since waits for two intervals, and no
    /// less than 40 s, after its pause.
    func turn(isNear: Bool) -> Turn {
        let last = max(link.triedAt, contact.readAt ?? .start)
        let interval = shortestInterval ?? .seconds(60)
        let isReliable = retry.backoff.failures == 0
        let due = isReliable ? last + interval : max(last, retry.notBefore) + max(interval, .seconds(20)) * 2
        return Turn(
            hasTick: hasTick, due: due, isNear: isNear,
            worth: LinkWorth(
                id: id, subscribes: plan.subscribes, failures: retry.backoff.failures, interval: plan.shortestInterval))
    }
}
