import RunLoop

/// Decides which device an adapter connects next, and when it searches. Pure.
///
/// An adapter connects one device at a time, never during discovery, and holds a limited number of connections.
struct RadioQueue: Sendable {
    private(set) var discovery = Discovery.off
    /// The end of the pause after BlueZ refused discovery.
    private(set) var noDiscoveryBefore = Uptime.start
    /// The number of consecutive refusals.
    private var refusals = 0
    var slots: SlotBudget
    private(set) var air = AirTime()
    /// The time of the last new connection, and the number of connections then.
    private var lastLink: (time: Uptime, links: Int)?

    enum Action: Sendable, Hashable {
        case connect(DeviceIndex, within: Duration)
        /// Cancel this attempt, because other devices wait.
        case giveWay(DeviceIndex)
        /// Disconnect this device, because all slots are in use.
        case makeRoom(DeviceIndex)
        case startDiscovery
        case stopDiscovery
        /// A search of this length didn't find these devices.
        case searchFailed([DeviceIndex], for: Duration)
    }

    init(maxLinks: Int) { slots = SlotBudget(maxLinks) }

    // MARK: Decisions

    /// Whether decisions are possible: not while discovery starts or stops.
    var mayDecide: Bool { discovery != .starting && discovery != .stopping }

    /// Decides the next actions.
    ///
    /// - Parameters:
    ///   - contenders: all devices of this adapter.
    ///   - external: the number of other programs' connections on it.
    ///   - longestSearch: the longest search for a device.
    mutating func decide(
        _ contenders: [Contender], external: Int, longestSearch: Duration, at now: Uptime
    ) -> [Action] {
        let round = Round(contenders, slots, external: external, at: now)
        switch discovery {
        case .starting, .stopping: return []
        case .on(let since, let lastFind):
            return searching(round, since: since, lastFind: lastFind, longest: longestSearch, at: now)
        case .off: return connecting(round, at: now)
        }
    }

    private mutating func searching(
        _ round: Round, since: Uptime, lastFind: Uptime, longest: Duration, at now: Uptime
    ) -> [Action] {
        if round.goesOnListening(since: since, at: now) {
            // A device whose tick waits needs a slot, and then connecting ends the discovery.
            let room = makingRoom(for: round)
            guard !round.missing.isEmpty, now - since >= longest else { return room }
            discovery = .on(since: now, lastFind: lastFind)
            return room + [.searchFailed(round.missing.map(\.id), for: now - since)]
        }
        guard
            discovery.hasSearchedEnough(
                found: round.isUrgent, missing: round.isSearchWorthwhile || round.isSearchOverdue, longest: longest,
                at: now)
        else { return [] }
        discovery = .stopping
        return [.stopDiscovery, .searchFailed(round.missing.map(\.id), for: now - since)]
    }

    private mutating func connecting(_ round: Round, at now: Uptime) -> [Action] {
        var actions: [Action] = []
        if let attempt = round.attempt {
            guard attempt.connection == .attempt(hasHadItsTurn: true), round.isWaitedFor else { return [] }
            actions.append(.giveWay(attempt.id))
        }
        let maySearch = now >= noDiscoveryBefore
        let isSearchDue = round.isSearchOverdue || !round.isUrgent
        let isSearch = maySearch && isSearchDue && round.missing.contains { $0.wish == .search(isAllowed: true) }
        if !isSearch, !round.candidates.isEmpty {
            if !round.isFull {
                guard let next = round.next else { return actions }
                air.begin(isAwaited: round.isAwaited(besides: next), at: now)
                return actions + [.connect(next.id, within: round.attemptLimit(with: next, at: now))]
            }
            actions += makingRoom(for: round)
            // Listening needs no slot.
        }
        if isSearch || round.isListening && maySearch {
            discovery = .starting
            actions.append(.startDiscovery)
        }
        return actions
    }

    private func makingRoom(for round: Round) -> [Action] {
        guard round.isFull, round.candidates.contains(where: \.turn.hasTick), let leastNeeded = round.leastNeeded else {
            return []
        }
        return [.makeRoom(leastNeeded)]
    }

    // MARK: Discovery

    /// A device was found.
    mutating func found(at now: Uptime) {
        if case .on(let since, _) = discovery { discovery = .on(since: since, lastFind: now) }
    }

    mutating func discoveryStarted(at now: Uptime) {
        discovery = .on(since: now, lastFind: now)
        refusals = 0
    }

    mutating func discoveryRefused(at now: Uptime) {
        discovery = .off
        let pause = Timing.afterRefusedDiscovery * (1 << min(refusals, 10))
        noDiscoveryBefore = now + min(pause, Timing.longestDiscoveryPause)
        refusals += 1
    }

    mutating func discoveryEnded() { discovery = .off }

    /// Ends discovery.
    ///
    /// - Returns: whether discovery was on, and must be stopped.
    mutating func endDiscovery() -> Bool {
        guard case .on = discovery else { return false }
        discovery = .stopping
        return true
    }

    /// Returns the times when an action may be due without an event.
    func decisions(longestSearch: Duration) -> [Uptime] {
        [noDiscoveryBefore] + discovery.decisions(longest: longestSearch)
    }

    // MARK: Slots

    /// Takes a new connection, and the number of connections with it.
    mutating func linkMade(_ links: Int, at now: Uptime) {
        if let lastLink, now - lastLink.time >= Timing.crowded { slots.fitted(lastLink.links) }
        lastLink = (now, links)
        slots.succeeded(with: links - 1)
    }

    /// Whether a connection that ends now may have made room for the last new one.
    func mayHaveMadeRoom(at now: Uptime) -> Bool {
        lastLink.map { now - $0.time < Timing.crowded && $0.links > SlotBudget.fewest } ?? false
    }

    /// Takes a connection that made room for the last new one.
    ///
    /// - Returns: whether the limit of slots changed.
    mutating func madeRoom(at now: Uptime) -> Bool {
        guard let last = lastLink else { return false }
        lastLink = nil
        return slots.crowded(with: last.links - 1, at: now)
    }
}
