import RunLoop

/// One adapter's radio: it connects one device at a time, never while it searches, and holds so many connections. Says
/// who is next.
///
/// Pure: it is told what the adapter's devices want, and returns what is to be done.
struct RadioQueue: Sendable {
    private(set) var discovery = Discovery.off
    /// After a refusal discovery isn't started again before this moment.
    private(set) var noDiscoveryBefore = Uptime.start
    var slots: SlotBudget
    private(set) var air = AirTime()
    /// When a connection was made last, and how many there were with it.
    private var lastLink: (moment: Uptime, links: Int)?

    enum Action: Sendable, Hashable {
        case connect(DeviceID, within: Duration)
        /// Its attempt has lasted long enough, as others wait.
        case giveWay(DeviceID)
        /// All slots are taken: this connection is needed least.
        case makeRoom(DeviceID)
        case startDiscovery
        case stopDiscovery
        /// So long these were searched for.
        case searchedInVain([DeviceID], for: Duration)
    }

    init(maxLinks: Int) { slots = SlotBudget(maxLinks) }

    // MARK: Who is next

    /// Whether there is anything to decide: not while discovery starts or stops.
    var mayDecide: Bool { discovery != .starting && discovery != .stopping }

    /// Decides what the radio is to do.
    ///
    /// - Parameters:
    ///   - contenders: all devices of this adapter.
    ///   - foreign: how many connections other programs have on it.
    ///   - longestSearch: how long a device is searched for that isn't found.
    mutating func decide(
        _ contenders: [Contender], foreign: Int, longestSearch: Duration, at now: Uptime
    ) -> [Action] {
        let round = Round(contenders, slots, foreign: foreign, at: now)
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
            guard !round.missing.isEmpty, now - since >= longest else { return [] }
            discovery = .on(since: now, lastFind: lastFind)
            return [.searchedInVain(round.missing.map(\.id), for: now - since)]
        }
        guard
            discovery.hasSearchedEnough(
                found: round.isUrgent, missing: round.isSearchWorthwhile || round.isSearchOverdue, longest: longest,
                at: now)
        else { return [] }
        discovery = .stopping
        return [.stopDiscovery, .searchedInVain(round.missing.map(\.id), for: now - since)]
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
                return actions + [.connect(next.id, within: round.patience(with: next, at: now))]
            }
            if round.candidates.contains(where: \.turn.hasTick), let sparest = round.sparest {
                actions.append(.makeRoom(sparest))
            }
            // Nobody's connection is in the way of listening.
        }
        if isSearch || round.isListening && maySearch {
            discovery = .starting
            actions.append(.startDiscovery)
        }
        return actions
    }

    // MARK: Discovery

    /// A device was found.
    mutating func found(at now: Uptime) {
        if case .on(let since, _) = discovery { discovery = .on(since: since, lastFind: now) }
    }

    mutating func discoveryStarted(at now: Uptime) { discovery = .on(since: now, lastFind: now) }

    mutating func discoveryRefused(at now: Uptime) {
        discovery = .off
        noDiscoveryBefore = now + Timing.afterRefusedDiscovery
    }

    mutating func discoveryEnded() { discovery = .off }

    /// Ends discovery.
    ///
    /// - Returns: whether BlueZ is to be asked for that.
    mutating func endDiscovery() -> Bool {
        guard case .on = discovery else { return false }
        discovery = .stopping
        return true
    }

    /// Returns when something may be due without anything happening.
    func decisions(longestSearch: Duration) -> [Uptime] {
        [noDiscoveryBefore] + discovery.decisions(longest: longestSearch)
    }

    // MARK: Slots

    /// A connection was made, so that there are so many.
    mutating func linkMade(_ links: Int, at now: Uptime) {
        if let lastLink, now - lastLink.moment >= Timing.crowded { slots.fitted(lastLink.links) }
        lastLink = (now, links)
        slots.succeeded(with: links - 1)
    }

    /// Whether a connection that ends now may have ended to make room for the one that was made last.
    func mayHaveMadeRoom(at now: Uptime) -> Bool {
        lastLink.map { now - $0.moment < Timing.crowded && $0.links > SlotBudget.fewest } ?? false
    }

    /// A connection has ended to make room for the one that was made last.
    ///
    /// - Returns: whether something new was learned from that.
    mutating func madeRoom(at now: Uptime) -> Bool {
        guard let last = lastLink else { return false }
        lastLink = nil
        return slots.crowded(with: last.links - 1, at: now)
    }
}
