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

extension RadioQueue {
    /// The requests of an adapter's devices at a given time. A reliable device never waits for an unreliable one.
    struct Round: Sendable {
        /// The devices that need a connection, and that BlueZ knows.
        let candidates: [Contender]
        /// The devices that need a connection, and a search first.
        let missing: [Contender]
        /// The device that is connecting.
        let attempt: Contender?
        /// Whether all slots are in use.
        let isFull: Bool
        private let all: [Contender]
        /// Whether the adapter can hold a connection to each of its devices.
        private let hasSlotsForAll: Bool
        /// Whether a candidate's turn is overdue.
        private let hasOverdue: Bool
        /// Whether the first turn is overdue, and belongs to a device that needs a search.
        let isSearchOverdue: Bool

        init(_ contenders: [Contender], _ slots: SlotBudget, external: Int, at now: Uptime) {
            all = contenders
            let wanting = Self.timely(contenders.filter { $0.wish != .none }, among: contenders, at: now)
            candidates = wanting.filter { $0.wish == .connection }
            missing = wanting.filter { $0.wish != .connection }
            attempt = contenders.first { if case .attempt = $0.connection { true } else { false } }
            let own = contenders.count(where: \.isUp)
            isFull = slots.isFull(with: own + external, own: own, at: now)
            hasSlotsForAll = contenders.count(where: \.isConnectable) <= slots.limit(at: now) - external
            hasOverdue = candidates.contains { $0.turn.due < now }
            let first = candidates.map(\.turn).min()
            isSearchOverdue = missing.contains {
                guard $0.wish == .search(isAllowed: true), $0.turn.due < now else { return false }
                return if let first { $0.turn < first } else { true }
            }
        }

        /// Returns the devices whose attempt would delay no other device's tick even if it fails, and those with an
        /// overdue turn. blekeep can't shorten an attempt.
        private static func timely(
            _ wanting: [Contender], among contenders: [Contender], at now: Uptime
        ) -> [Contender] {
            guard wanting.contains(where: { !$0.turn.isDueAndReliable }) else { return wanting }
            let expected = contenders.filter {
                $0.isExpected && $0.nextTick > now && $0.nextTick - now < Timing.minimumAttempt
            }
            guard let next = expected.map({ ($0.nextTick, $0.turn.place) }).min(by: <) else { return wanting }
            return wanting.filter {
                $0.turn.isDueAndReliable || $0.turn.due < now
                    || $0.turn.failures == 0 && ($0.nextTick, $0.turn.place) <= next
            }
        }

        var next: Contender? { candidates.min { $0.turn < $1.turn } }

        /// Whether another reliable device waits.
        func isAwaited(besides next: Contender) -> Bool {
            candidates.contains { $0.id != next.id && $0.turn.isDueAndReliable }
        }

        var isListening: Bool { all.contains(where: \.isListenedTo) }

        /// Whether a reliable device waits.
        var isWaitedFor: Bool {
            candidates.contains(where: \.turn.isDueAndReliable) || missing.contains(where: \.isSought)
        }

        /// Whether the search goes on for missing devices. It ends when a reliable device waits and only unreliable ones are
        /// missing.
        var isSearchWorthwhile: Bool {
            !missing.isEmpty
                && (missing.contains(where: \.isSought) || !candidates.contains(where: \.turn.isDueAndReliable))
        }

        /// Whether a search comes before connecting: a reliable device is missing, no candidate is reliable, and no turn is
        /// overdue.
        private var isSearchFirst: Bool {
            missing.contains(where: \.isSought) && !candidates.contains(where: \.turn.isDueAndReliable) && !hasOverdue
        }

        /// Whether connecting comes before a search. A connection only to hold doesn't, when all slots are in use.
        var isUrgent: Bool {
            !isSearchFirst && (candidates.contains(where: \.turn.hasTick) || !candidates.isEmpty && !isFull)
        }

        /// The device whose connection isn't needed for the longest time, if possible without subscriptions; `nil` while a
        /// connection is ending.
        var leastNeeded: DeviceIndex? {
            let isOneEnding = all.contains { if case .ending = $0.connection { true } else { false } }
            return isOneEnding ? nil : all.filter { $0.connection == .spare }.max(by: Self.isNeededMore)?.id
        }

        private static func isNeededMore(_ left: Contender, _ right: Contender) -> Bool {
            let (worth, other) = (left.turn.worth, right.turn.worth)
            if worth.subscribes != other.subscribes { return worth.subscribes }
            return left.nextTick == right.nextTick ? worth < other : left.nextTick < right.nextTick
        }

        /// Returns how long an attempt may last. When devices take turns, a device that just failed gets less time.
        func attemptLimit(with next: Contender, at now: Uptime) -> Duration {
            if !hasSlotsForAll, next.turn.failures > 0 { return Timing.connectDoubtful }
            if next.contact.wasHeard(within: Timing.recently, of: now) { return Timing.connectHeard }
            return all.count(where: \.isConnectable) > 1 ? Timing.connectShared : Timing.connectUnheard
        }

        /// Whether discovery goes on after a search, to listen.
        func goesOnListening(since: Uptime, at now: Uptime) -> Bool {
            guard isListening, candidates.isEmpty || isFull else { return false }
            // A discovery that hears nothing for so long may be stuck, so it is restarted.
            return now - since < Timing.listenRestart
                || all.contains { $0.isListenedTo && $0.contact.wasHeard(within: Timing.listenRestart, of: now) }
        }
    }
}

extension RadioQueue {
    /// The discovery of devices with an adapter.
    enum Discovery: Sendable, Hashable {
        case off
        case starting
        case on(since: Uptime, lastFind: Uptime)
        case stopping

        /// The time after the last found device in which others may follow.
        static let quiet: Duration = .milliseconds(1500)
        /// The shortest search, unless all devices are found.
        static let shortest: Duration = .milliseconds(2500)
        /// The longest search. After it, a device counts as out of range.
        static let longest = CallTiming.search

        /// Whether the search may end.
        ///
        /// - Parameter longest: the longest search for a device.
        func hasSearchedEnough(found: Bool, missing: Bool, longest: Duration, at now: Uptime) -> Bool {
            guard case .on(let since, let lastFind) = self else { return false }
            if !missing { return true }
            if now - since >= longest { return true }
            return found && now - since >= Self.shortest && now - lastFind >= Self.quiet
        }

        /// Returns the times when the search may end without an event.
        func decisions(longest: Duration) -> [Uptime] {
            guard case .on(let since, let lastFind) = self else { return [] }
            return [since + longest, since + Self.shortest, lastFind + Self.quiet]
        }
    }
}

/// A device's request to its adapter at a given time.
struct Contender: Sendable, Hashable {
    let turn: Turn
    var wish = Wish.none
    var connection = Connection.none
    /// When its next tick is due.
    var nextTick = Uptime.never
    /// Whether it will need a connection for that tick, and is reliable.
    var isExpected = false
    /// Whether blekeep connects the device at all.
    var isConnectable = true
    /// Whether it needs discovery for its advertisements.
    var isListenedTo = false
    var contact = Contact()

    enum Wish: Sendable, Hashable {
        case none
        case connection
        /// A search first, because BlueZ doesn't know the device.
        case search(isAllowed: Bool)
    }

    enum Connection: Sendable, Hashable {
        case none
        /// blekeep is connecting the device.
        ///
        /// - Parameter hasHadItsTurn: whether the attempt may end for other devices.
        case attempt(hasHadItsTurn: Bool)
        case up
        /// Connected only for the next tick. Other devices may need the slot more.
        case spare
        /// Disconnecting, or cancelling an attempt.
        case ending(isUp: Bool)
    }

    var id: DeviceIndex { turn.id }

    /// Whether the device uses a slot of the adapter.
    var isUp: Bool {
        switch connection {
        case .none, .attempt: false
        case .up, .spare: true
        case .ending(let isUp): isUp
        }
    }

    /// Whether the device is reliable, and waits for a search that is allowed.
    var isSought: Bool { wish == .search(isAllowed: true) && turn.isDueAndReliable }
}

/// A device's turn at an adapter, which connects one device at a time. The least turn comes first: first devices with a
/// tick, by the time of their turn, then devices with a connection only to hold, by its worth.
struct Turn: Sendable, Hashable, Comparable {
    var hasTick: Bool
    /// When the turn is due: an interval after the last turn, or two after a failure.
    var due: Uptime
    /// Whether blekeep heard or read the device recently.
    var isNear: Bool
    let worth: LinkWorth

    var id: DeviceIndex { worth.id }
    var place: Int { worth.place }
    /// The number of consecutive failures.
    var failures: Int { worth.failures }
    /// Whether a tick waits for the device, and it is reliable.
    var isDueAndReliable: Bool { hasTick && failures == 0 }

    static func < (left: Turn, right: Turn) -> Bool {
        if left.hasTick != right.hasTick { return left.hasTick }
        if !left.hasTick { return left.worth < right.worth }
        if left.due != right.due { return left.due < right.due }
        if left.failures != right.failures { return left.failures < right.failures }
        if left.isNear != right.isNear { return left.isNear }
        return left.place < right.place
    }
}

/// The worth of a held connection when there are too few slots. The least element is worth most.
struct LinkWorth: Sendable, Hashable, Comparable {
    let id: DeviceIndex
    /// The device's place in the configuration, which decides between equals.
    let place: Int
    /// Whether the device sends values by itself, which are lost without a connection.
    var subscribes: Bool
    /// The number of consecutive failures.
    var failures: Int
    var interval: Duration

    static func < (left: LinkWorth, right: LinkWorth) -> Bool {
        if left.subscribes != right.subscribes { return left.subscribes }
        return (left.failures, left.interval, left.place) < (right.failures, right.interval, right.place)
    }
}

extension DevicePlan {
    func worth(of id: DeviceIndex, place: Int, failures: Int = 0) -> LinkWorth {
        LinkWorth(id: id, place: place, subscribes: subscribes, failures: failures, interval: shortestInterval)
    }
}

/// The devices of an adapter with a dedicated slot. At most two of the other devices share each remaining slot.
enum SlotOwners: Sendable, Hashable {
    case all
    case only(Set<DeviceIndex>)

    init(of devices: [LinkWorth], slots: Int) {
        let count = Self.count(of: devices.count, slots: slots)
        self = count >= devices.count ? .all : .only(count == 0 ? [] : Set(devices.sorted().prefix(count).map(\.id)))
    }

    /// Returns the number of devices with a dedicated slot.
    static func count(of devices: Int, slots: Int) -> Int {
        devices <= slots ? devices : max(0, 2 * slots - devices)
    }

    func contains(_ id: DeviceIndex) -> Bool {
        switch self {
        case .all: true
        case .only(let ids): ids.contains(id)
        }
    }
}

/// The air time of a device's turn, measured while other devices wait.
struct AirTime: Sendable, Hashable {
    /// A moving average of the time from turn to turn, with searches and failed attempts; `nil` before five turns.
    var turn: Duration? { count >= Self.fewest ? mean : nil }

    /// The usual time of a turn, measured with bluetoothd 5.66 and 6.1 kernels.
    static let usual: Duration = .milliseconds(1200)

    private var mean = Duration.zero
    private var count = 0
    /// When the turn in progress began, if other devices waited then.
    private var begin: Uptime?

    private static let fewest = 5
    /// A longer time isn't a turn: the adapter was off, or bluetoothd wasn't running.
    private static let longest: Duration = .seconds(30)
    /// The weight of earlier turns in the average.
    private static let memory = 16

    /// Begins the next device's turn.
    ///
    /// - Parameter isAwaited: whether other devices with a tick wait for their turn.
    mutating func begin(isAwaited: Bool, at now: Uptime) {
        if let begin, now - begin <= Self.longest {
            count = min(count + 1, Self.memory)
            mean += (now - begin - mean) / count
        }
        begin = isAwaited ? now : nil
    }
}
