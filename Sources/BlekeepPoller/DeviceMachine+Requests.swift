import RunLoop

/// What the device requests of its adapter: connections, searches and a slot.
extension DeviceMachine {
    /// Whether the device may need a connection or discovery, or is connecting.
    @inline(__always) func needsAdapter(at now: Uptime) -> Bool {
        if link.phase.isIdle, !isConnected, now >= retry.notBefore { return true }
        return plan.mode.listens || link.phase.isConnecting
    }

    /// Returns the device's request.
    ///
    /// - Parameter owners: the devices with a dedicated slot of the adapter.
    func contender(owners: SlotOwners, in mode: PowerMode, at now: Uptime) -> Contender {
        var contender = Contender(turn: turn(at: now), contact: contact)
        contender.wish = wish(owners: owners, in: mode, at: now)
        contender.connection = connection(owners: owners, at: now)
        contender.nextTick = nextTick
        contender.isConnectable = plan.mode != .passive
        contender.isExpected = mayWantConnection && retry.isReliable
        contender.isListenedTo = isListenedTo(in: mode, at: now)
        return contender
    }

    private var mayWantConnection: Bool {
        if link.phase.isDisconnecting { return true }
        return link.phase.isIdle && !isConnected && plan.mode != .passive
    }

    private func wish(owners: SlotOwners, in mode: PowerMode, at now: Uptime) -> Contender.Wish {
        guard link.phase.isIdle, now >= retry.notBefore, !isConnected, !isFinished, hasTick || isHeld(owners: owners),
            mayConnect(at: now)
        else { return .none }
        return isKnown ? .connection : .search(isAllowed: maySearch(in: mode))
    }

    private func connection(owners: SlotOwners, at now: Uptime) -> Contender.Connection {
        if let attempt = attempt(at: now) { return attempt }
        switch link.phase {
        case .disconnecting: return .ending(isUp: isConnected)
        case .held where isConnected && !hasTick && !owners.contains(id): return .spare
        case .released, .held, .connecting, .watching, .resolving, .polling: return isConnected ? .up : .none
        }
    }

    /// blekeep's attempt to connect it, if one is in progress.
    func attempt(at now: Uptime) -> Contender.Connection? {
        guard link.phase.isConnecting else { return nil }
        return .attempt(hasHadItsTurn: link.hasHadItsTurn(at: now))
    }

    /// Whether the device needs discovery for its advertisements.
    private func isListenedTo(in mode: PowerMode, at now: Uptime) -> Bool {
        guard plan.mode.listens, !isFinished, !isPaused, maySearch(in: mode) else { return false }
        if plan.mode == .passive { return true }
        return hasTick && link.phase.isIdle && !isConnected && now >= retry.notBefore
    }

    /// Whether a device may be connected now.
    private func mayConnect(at now: Uptime) -> Bool {
        switch plan.mode {
        case .passive: false
        case .heard: contact.wasHeard(within: Timing.justHeard, of: now)
        case .auto, .hold, .release: true
        }
    }

    /// Whether the device's connection is held between its ticks.
    func isHeld(owners: SlotOwners) -> Bool { plan.isHeld(every: shortestInterval, hasSlot: owners.contains(id)) }

    /// Whether the connection is held only if the device has a dedicated slot.
    var needsSlotToBeHeld: Bool { isHeld(owners: .all) && !isHeld(owners: .only([])) }

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

/// The last contacts with a device.
struct Contact: Sendable, Hashable {
    var lastHeardAt: Uptime?
    /// When the last value came.
    var readAt: Uptime?
    /// The length of searches in this tick, since BlueZ last found the device.
    var searched: Duration = .zero
    /// When the last search failed, since BlueZ last found the device.
    private(set) var searchedAt: Uptime?

    mutating func found(at now: Uptime) {
        lastHeardAt = now
        searched = .zero
        searchedAt = nil
    }

    /// Records a failed search.
    mutating func missed(after length: Duration, at now: Uptime) {
        searched += length
        searchedAt = now
    }

    func wasHeard(within window: Duration, of now: Uptime) -> Bool { lastHeardAt.map { now - $0 <= window } ?? false }

    /// Whether blekeep heard or read the device recently.
    func isNear(at now: Uptime) -> Bool {
        wasHeard(within: Timing.recently, of: now) || readAt.map { now - $0 <= Timing.recently } ?? false
    }
}
