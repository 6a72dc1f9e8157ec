import DBus
import RunLoop

/// One adapter: its searches, attempts to connect, slots and air time. Pure.
///
/// An adapter connects one device at a time, never during discovery, and holds a limited number of connections. The
/// machine decides which device it connects next, and when it searches.
struct AdapterMachine: Sendable {
    private(set) var facts: AdapterFacts
    private(set) var discovery = Discovery.off
    /// Whether BlueZ does what it accepted.
    private(set) var watch = SearchWatch()
    /// What BlueZ refuses of the searches.
    private(set) var refusal = Refusal() { didSet { isTouched = true } }
    /// The end of the pause after BlueZ refused discovery.
    private(set) var noDiscoveryBefore = Uptime.start
    /// The number of consecutive refusals, for the pauses.
    private var refusals = 0
    var slots: SlotBudget
    private(set) var air = AirTime()
    /// The reported lack of air time.
    private(set) var shortage: AirShortage? { didSet { isTouched = true } }
    /// Whether it listens in windows.
    private(set) var windows = WindowJudge()
    private var monitors = Monitors.off { didSet { isTouched = true } }
    /// Whether the advertisements of any device matter.
    var isHearing = false { didSet { if isHearing != oldValue { isTouched = true } } }
    /// Whether the log says that it hears nothing, because BlueZ can't listen without asking.
    private var isReportedDeaf = false
    /// When discovery last began to listen for what the monitors miss.
    private var windowSince: Uptime?
    /// The time from one such window to the next.
    private var windowPause = Timing.betweenWindows
    /// The time of the last new connection, and the number of connections then.
    private var lastLink: (time: Uptime, links: Int)?
    /// Whether the snapshot of the machine may have changed.
    var isTouched = true

    /// What BlueZ refuses of the searches with an adapter.
    struct Refusal: Sendable, Hashable {
        /// The number of consecutive refusals.
        var refusals = 0
        /// The reported refusal of all searches.
        var failure: ReadingFailure?
        /// The refused part of their filter.
        var filter: FilterRefusal?
    }

    /// BlueZ's listening without asking the devices.
    private enum Monitors: Hashable {
        case off, starting, on
        /// BlueZ can't.
        case refused
    }

    enum Action: Sendable, Hashable {
        case connect(DeviceNumber, within: Duration)
        /// Cancel this attempt, because other devices wait.
        case giveWay(DeviceNumber)
        /// Disconnect this device, because all slots are in use.
        case makeRoom(DeviceNumber)
        case startDiscovery
        case stopDiscovery
        /// Ask BlueZ whether it searches.
        case queryDiscovery
        /// A search of this length didn't find these devices.
        case searchFailed([DeviceNumber], for: Duration)
    }

    init(_ facts: AdapterFacts, maxLinks: Int) {
        self.facts = facts
        slots = SlotBudget(maxLinks)
    }

    private var name: String { String(facts.path.name) }

    /// BlueZ reported the adapter's state.
    mutating func reported(_ facts: AdapterFacts) {
        if facts.isPowered != self.facts.isPowered {
            discovery = .off
            watch = SearchWatch()
            monitors = .off
        }
        watch.isDiscovering = facts.isDiscovering
        self.facts = facts
    }

    // MARK: Decisions

    /// Whether decisions are possible: not while discovery starts or stops.
    var mayDecide: Bool { discovery != .starting && discovery != .stopping }

    /// Decides the next actions.
    ///
    /// - Parameters:
    ///   - contenders: all devices of this adapter.
    ///   - external: the number of other programs' connections on it.
    ///   - maxSearch: the longest search for a device.
    mutating func decide(
        _ contenders: [Contender], external: Int, listensOpenly: Bool = false, maxSearch: Duration, at now: Uptime
    ) -> [Action] {
        var round = Round(contenders, slots: slots, external: external, at: now)
        windowPause = contenders.lazy.compactMap(\.windowPause).min() ?? Timing.betweenWindows
        if isMonitoring, !listensOpenly { round.isListening = round.isListening && mayOpenWindow(at: now) }
        switch discovery {
        case .starting, .stopping: return []
        case .on(let since, let lastFind):
            watch.begin(at: now)
            watch.count(until: now)
            let doubt = watch.isQueryDue ? [Action.queryDiscovery] : []
            if !doubt.isEmpty { watch.isQueried = true }
            return doubt + searching(round, since: since, lastFind: lastFind, longest: maxSearch, at: now)
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
            return room + [missed(round, for: now - since)]
        }
        guard
            discovery.hasSearchedEnough(
                found: round.isUrgent, missing: round.isSearchWorthwhile || round.isSearchOverdue, longest: longest,
                at: now)
        else { return [] }
        discovery = .stopping
        return [.stopDiscovery, missed(round, for: now - since)]
    }

    /// A search found none of these devices; if BlueZ didn't search, that says nothing of them.
    private func missed(_ round: Round, for length: Duration) -> Action {
        .searchFailed(watch.isDiscovering == false ? [] : round.missing.map(\.number), for: length)
    }

    private mutating func connecting(_ round: Round, at now: Uptime) -> [Action] {
        var actions: [Action] = []
        let maySearch = now >= noDiscoveryBefore
        if let attempt = round.attempt {
            guard attempt.connection == .attempt(hasHadItsTurn: true), round.isWaitedFor(maySearch: maySearch) else {
                return []
            }
            actions.append(.giveWay(attempt.number))
        }
        let isSearchDue = round.isSearchOverdue || !round.isUrgent
        let isSearch = maySearch && isSearchDue && round.missing.contains { $0.wish == .search(isAllowed: true) }
        if !isSearch, !round.candidates.isEmpty {
            if !round.isFull {
                guard let next = round.next else { return actions }
                air.begin(isAwaited: round.isAwaited(besides: next), at: now)
                return actions + [.connect(next.number, within: round.attemptLimit(with: next, at: now))]
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

    /// BlueZ replied to StartDiscovery.
    ///
    /// - Parameter refused: the part of the filter that BlueZ refused.
    mutating func discoveryAnswered(_ error: BusError?, refused: FilterRefusal?, at now: Uptime) -> [Effect] {
        // A discovery in progress is blekeep's own, because the reply to an earlier call came late, but only if there is one: an
        // adapter that hangs answers the same.
        let policy = error.map { Remedy($0).policy }
        let isContradiction = policy?.isInProgress == true && watch.isDiscovering == false
        guard let error, let policy, !policy.isInProgress || isContradiction else {
            discovery = .on(since: now, lastFind: now)
            watch.begin(at: now)
            // A success is a promise. What BlueZ says of the adapter shows whether it is kept.
            if watch.isDiscovering == false, refusal.failure != nil {
                refusal.filter = refused
                return []
            }
            refusals = 0
            return searchesWork(without: refused)
        }
        pauseSearches(at: now)
        if isContradiction {
            watch.deafSearches += 1
            // Which may end what BlueZ takes for a search of blekeep's.
            discovery = .stopping
            return searchRefused("BlueZ refuses to search for devices with \(name) (\(error)), and doesn't search")
                + [.stopDiscovery(facts.path), .queryDiscovery(facts.path)]
        }
        discovery = .off
        let notice = Effect.notice(Notice(level: .debug, text: "BlueZ refused discovery: \(error)"))
        // Other causes are reported elsewhere: the adapter is off, or bluetoothd is gone.
        if policy.provesNothing { return [notice] }
        return [notice] + searchRefused("BlueZ refuses to search for devices with \(name) (\(error))")
    }

    /// BlueZ said whether the adapter searches, for whichever program.
    ///
    /// - Parameter isAsked: whether it replied to a query. Only then, a search that BlueZ accepted counts as none.
    mutating func discoveryReported(_ isDiscovering: Bool, isAsked: Bool, at now: Uptime) -> [Effect] {
        let isOn = if case .on = discovery { true } else { false }
        guard !isDiscovering else {
            watch = SearchWatch(isDiscovering: true)
            guard isOn, refusal.failure != nil else { return [] }
            refusals = 0
            return searchesWork(without: refusal.filter)
        }
        watch.isDiscovering = false
        guard isOn else { return [] }
        watch.begin(at: now)
        guard isAsked, watch.isOverdue else { return [] }
        watch = SearchWatch(isDiscovering: false, deafSearches: watch.deafSearches + 1)
        pauseSearches(at: now)
        // BlueZ counts blekeep as a searcher until then, and refuses the next search.
        discovery = .stopping
        refusal.refusals = max(refusal.refusals, Self.reportedRefusal - 1)
        return [.stopDiscovery(facts.path)]
            + searchRefused("BlueZ accepts to search for devices with \(name), but doesn't search")
    }

    private mutating func pauseSearches(at now: Uptime) {
        let pause = Timing.afterRefusedDiscovery * (1 << min(refusals, 10))
        noDiscoveryBefore = now + min(pause, Timing.maxDiscoveryPause)
        refusals += 1
    }

    private static let reportedRefusal = 3

    /// Takes a refusal. The third of consecutive ones is reported: others pass by themselves.
    private mutating func searchRefused(_ message: String) -> [Effect] {
        refusal.refusals += 1
        guard refusal.refusals == Self.reportedRefusal else { return [] }
        let failure = ReadingFailure(.noDiscovery, message)
        refusal.failure = failure
        return .report(
            .warning, "\(message); still retrying", code: .noDiscovery,
            Attempt(phase: .adapter, failure: failure, remedy: .wait))
    }

    private mutating func searchesWork(without refused: FilterRefusal?) -> [Effect] {
        let before = refusal
        guard before != Refusal(filter: refused) else { return [] }
        refusal = Refusal(filter: refused)
        let effects: [Effect] =
            before.failure == nil
            ? [] : .report(.notice, "BlueZ searches for devices with \(name) again", Attempt(phase: .adapter))
        guard let refused, refused != before.filter else { return effects }
        let keys = refused.keys.joined(separator: " and ")
        let message = "BlueZ refuses \(keys) in the filter of a search with \(name) (\(refused.error))"
        return effects
            + .report(
                .warning, "\(message); blekeep searches without", code: .noFilter,
                Attempt(phase: .adapter, failure: ReadingFailure(.noFilter, message)))
    }

    mutating func discoveryEnded() {
        discovery = .off
        watch.pause()
    }

    /// Ends discovery.
    ///
    /// - Returns: whether discovery was on, and must be stopped.
    mutating func endDiscovery() -> Bool {
        guard case .on = discovery else { return false }
        discovery = .stopping
        return true
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

    /// An attempt to connect failed, perhaps because there was no slot.
    ///
    /// - Parameters:
    ///   - links: the adapter's connections.
    ///   - isRefusal: whether the adapter, not the device, caused the failure.
    mutating func slotDoubted(after remedy: Remedy, with links: Slots, isRefusal: Bool, at now: Uptime) -> [Effect] {
        let doubt = remedy.policy.mayLackSlot
        guard doubt != .none else { return [] }
        let isLearned =
            doubt == .certain
            ? slots.full(with: links.links, at: now) : isRefusal && slots.refused(with: links.links, at: now)
        var effects: [Effect] = isLearned ? [slotsMessage(links, at: now)] : []
        // Other programs' connections may use all slots.
        if links.links > 0 || doubt == .certain || isRefusal { effects.append(.countExternalLinks) }
        return effects
    }

    /// A connection made room for the last new one.
    ///
    /// - Parameter links: the adapter's connections.
    mutating func madeRoom(_ links: Slots, at now: Uptime) -> [Effect] {
        guard let last = lastLink else { return [] }
        lastLink = nil
        return slots.crowded(with: last.links - 1, at: now) ? [slotsMessage(links, at: now)] : []
    }

    private func slotsMessage(_ links: Slots, at now: Uptime) -> Effect {
        let limit = slots.limit(at: now)
        let message =
            links.own == 0 && links.links >= limit
            ? "other programs hold all \(limit) connections of adapter \(name); waiting for one to end"
            : "adapter \(name) holds no more than \(limit) connections; devices take turns"
        return .notice(Notice(level: .notice, text: message))
    }

    // MARK: Monitors and windows

    var isMonitoring: Bool { monitors == .on }

    var isScanning: Bool { if case .on = discovery { true } else { false } }

    /// Begins or ends BlueZ's listening without asking the devices.
    mutating func monitor(_ scan: ScanMode) -> [Effect] {
        let isWanted = isHearing && scan != .active
        switch monitors {
        case .off where isWanted && facts.offersMonitors:
            monitors = .starting
            return [.startMonitors(facts.path)]
        case .on where !isWanted:
            monitors = .off
            return [.stopMonitors(facts.path)]
        case .off where isWanted && scan == .passive, .refused where isWanted && scan == .passive:
            return deaf()
        case .off, .starting, .on, .refused: return []
        }
    }

    private mutating func deaf() -> [Effect] {
        guard !isReportedDeaf else { return [] }
        isReportedDeaf = true
        let text =
            "adapter \(name) hears no advertisements: `scan` is `passive`, and this bluetoothd can't listen passively"
        return [.notice(Notice(level: .warning, text: text))]
    }

    mutating func monitorsAnswered(_ error: BluetoothError?) -> [Effect] {
        guard let error else {
            // A late answer is about monitors that are gone.
            if monitors == .starting { monitors = .on }
            return []
        }
        monitors = .refused
        let text = "adapter \(name) listens actively: \(error)"
        return [.notice(Notice(level: .notice, text: text))]
    }

    /// BlueZ's monitors are gone, or are for other devices.
    mutating func monitorsEnded() { monitors = .off }

    /// Whether discovery may be on for advertisements while BlueZ also listens without asking: 10 s in 5 minutes, and
    /// sooner for a device of which nothing is heard. Monitors that hear nothing would else let it be called lost until
    /// they are judged.
    private mutating func mayOpenWindow(at now: Uptime) -> Bool {
        if let windowSince, now < windowSince + windowPause { return now < windowSince + Timing.window }
        windowSince = now
        return true
    }

    /// A tick ended in which the adapter listened to a device.
    mutating func listened(heard: Bool, at now: Uptime) -> [Effect] {
        let wasOpen = windows.isOpen
        let verdict = windows.listened(heard: heard, at: now)
        if windows.isOpen != wasOpen { isTouched = true }
        guard let verdict else { return [] }
        let (less, more) = (Int((verdict.windows * 100).rounded()), Int((verdict.open * 100).rounded()))
        let text =
            "adapter \(name) heard \(less) % of what was due while it listened at times, and \(more) % without a pause; it "
            + "listens without a pause for a day"
        return [.notice(Notice(level: .notice, text: text))]
    }

    // MARK: Air time

    /// A tick ended without a turn, because the time doesn't suffice for all devices.
    mutating func turnMissed(_ shortage: AirShortage) -> [Effect] {
        defer { self.shortage = shortage }
        guard self.shortage == nil else { return [] }
        return .recovery(.warning, code: .noAirTime, message: "\(shortage.message(of: name)): \(AirShortage.advice)")
    }

    /// The time suffices again.
    mutating func turnsSuffice() -> [Effect] {
        shortage = nil
        return .recovery(.notice, code: .airTime, message: "adapter \(name) has time for all its devices again")
    }
}

extension [Effect] {
    /// A line in the log and in `blekeep why` about the recovery of an adapter or of bluetoothd.
    static func recovery(_ level: Notice.Level, code: FailureCode, message: String) -> [Effect] {
        .report(level, message, code: code, Attempt(phase: .recovery, failure: ReadingFailure(code, message)))
    }

    /// A line in the log, and an attempt that concerns all devices.
    static func report(_ level: Notice.Level, _ text: String, code: FailureCode? = nil, _ attempt: Attempt) -> [Effect]
    {
        [.notice(Notice(level: level, text: text, code: code)), .commonAttempt(attempt)]
    }
}

/// The adapters, sorted by path. A search is fast enough, because there are few. Frequent accesses use the index, because
/// access by path copies the state.
extension [AdapterMachine] {
    func index(for path: ObjectPath) -> Int? { indices.first { self[$0].facts.path == path } }

    var paths: [ObjectPath] { map(\.facts.path) }

    subscript(path: ObjectPath) -> AdapterMachine? {
        get { index(for: path).map { self[$0] } }
        set {
            switch (index(for: path), newValue) {
            case (let index?, let state?): self[index] = state
            case (let index?, nil): remove(at: index)
            case (nil, let state?): insert(state, at: firstIndex { path < $0.facts.path } ?? endIndex)
            case (nil, nil): break
            }
        }
    }
}

extension AdapterMachine {
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
        /// Whether discovery is needed for advertisements.
        var isListening: Bool
        private let all: [Contender]
        /// Whether the adapter can hold a connection to each of its devices.
        private let hasSlotsForAll: Bool
        /// Whether a candidate's turn is overdue.
        private let hasOverdue: Bool
        /// Whether the first turn is overdue, and belongs to a device that needs a search.
        let isSearchOverdue: Bool

        init(_ contenders: [Contender], slots: SlotBudget, external: Int, at now: Uptime) {
            all = contenders
            isListening = contenders.contains(where: \.isListenedTo)
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
            candidates.contains { $0.number != next.number && $0.turn.isDueAndReliable }
        }

        /// Whether a reliable device waits, and could have the adapter now.
        ///
        /// - Parameter maySearch: `false` while a refused discovery pauses.
        func isWaitedFor(maySearch: Bool) -> Bool {
            candidates.contains(where: \.turn.isDueAndReliable) || maySearch && missing.contains(where: \.isSought)
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
        var leastNeeded: DeviceNumber? {
            let isOneEnding = all.contains { if case .ending = $0.connection { true } else { false } }
            return isOneEnding ? nil : all.filter { $0.connection == .spare }.max(by: Self.isNeededMore)?.number
        }

        private static func isNeededMore(_ left: Contender, _ right: Contender) -> Bool {
            let (worth, other) = (left.turn.worth, right.turn.worth)
            if worth.subscribes != other.subscribes { return worth.subscribes }
            return left.nextTick == right.nextTick ? worth < other : left.nextTick < right.nextTick
        }

        /// Returns how long an attempt may last. When devices take turns, a device that just failed gets less time.
        func attemptLimit(with next: Contender, at now: Uptime) -> Duration {
            let limit = connectLimit(with: next, at: now)
            // Meanwhile, the kernel passes on one packet of each sensor.
            return all.contains { !$0.isConnectable } ? min(limit, Timing.connectBesideListening) : limit
        }

        private func connectLimit(with next: Contender, at now: Uptime) -> Duration {
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

extension AdapterMachine {
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
    }
}

/// All of them are pauses: what the adapter does is decided again in each step, together with its devices.
extension AdapterMachine: Waiting {
    enum Wait: CaseIterable {
        /// The pause after a refused search.
        case refusal
        /// The time for BlueZ to do a search that it accepted.
        case query
        case shortestSearch
        /// The time after a found device in which others may follow.
        case quiet
        case longestSearch
        /// The end of a window, and the pause until the next one, while monitors hear the devices.
        case window, betweenWindows
    }

    /// - Parameter around: the time, and the longest search for a device.
    func end(of wait: Wait, in around: (now: Uptime, maxSearch: Duration)) -> Uptime {
        let end: Uptime? =
            switch (wait, discovery) {
            case (.refusal, _): noDiscoveryBefore
            case (.query, _): watch.queryAt
            case (.window, _): windowSince.map { $0 + Timing.window }
            case (.betweenWindows, _): windowSince.map { $0 + windowPause }
            case (.shortestSearch, .on(let since, _)): since + Discovery.shortest
            case (.quiet, .on(_, let lastFind)): lastFind + Discovery.quiet
            case (.longestSearch, .on(let since, _)): since + around.maxSearch
            case (.shortestSearch, _), (.quiet, _), (.longestSearch, _): nil
            }
        return end?.whileAhead(of: around.now) ?? .never
    }
}

/// Judges whether windows hear as much as listening without a pause does. Pure.
///
/// They should, because a window stays open until the devices are heard. But controllers differ: one may need long to begin.
/// So when windows missed a tenth of what was due in an hour, an hour without a pause shows whether that is the cause.
struct WindowJudge: Sendable, Hashable {
    private enum Phase: Hashable {
        case windows
        /// - Parameter windows: the share that windows heard.
        case trial(windows: Double)
        case open
    }

    private var phase = Phase.windows
    /// When the count of ticks began; `nil` before the first one.
    private var since: Uptime?
    /// Before that time, there is no other trial.
    private var noTrialBefore = Uptime.start
    private var ticks = 0
    private var heard = 0

    static let period: Duration = .seconds(3600)
    static let rest: Duration = .seconds(86_400)
    /// Fewer ticks in a period say nothing.
    static let fewest = 20
    /// The share of ticks that may be missed, and by which one way must be better.
    static let tolerance = 0.1

    /// The shares of what was due that were heard, from 0 to 1.
    struct Verdict: Hashable {
        var windows: Double
        var open: Double
    }

    var isOpen: Bool { phase != .windows }

    /// Takes the end of a tick.
    ///
    /// - Returns: why the adapter listens without a pause from now on; `nil` mostly.
    mutating func listened(heard isHeard: Bool, at now: Uptime) -> Verdict? {
        let start = since ?? now
        since = start
        ticks += 1
        heard += isHeard ? 1 : 0
        guard now - start >= (phase == .open ? Self.rest : Self.period), ticks >= Self.fewest else { return nil }
        let share = Double(heard) / Double(ticks)
        (since, ticks, heard) = (now, 0, 0)
        switch phase {
        case .windows:
            if share < 1 - Self.tolerance, now >= noTrialBefore { phase = .trial(windows: share) }
        case .trial(let windows):
            noTrialBefore = now + Self.rest
            phase = share > windows + Self.tolerance ? .open : .windows
            return isOpen ? Verdict(windows: windows, open: share) : nil
        case .open: phase = .windows
        }
        return nil
    }
}

/// Whether BlueZ does the searches that it accepted. The reply to StartDiscovery says only that it was asked.
struct SearchWatch: Sendable, Hashable {
    /// What BlueZ last said; `nil` when it doesn't say.
    var isDiscovering: Bool?
    /// The number of consecutive searches that were none.
    var deafSearches = 0
    /// Whether BlueZ was asked since the time was up.
    var isQueried = false
    /// How long BlueZ was off while blekeep had it search, since it last did.
    private var missing = Duration.zero
    /// Since when that time runs.
    private var since: Uptime?

    init(isDiscovering: Bool? = nil, deafSearches: Int = 0) {
        (self.isDiscovering, self.deafSearches) = (isDiscovering, deafSearches)
    }

    /// A search began, or BlueZ said that it is off.
    mutating func begin(at now: Uptime) {
        if isDiscovering == false { since = since ?? now }
    }

    mutating func count(until now: Uptime) {
        guard let since else { return }
        missing += now - since
        self.since = now
    }

    /// The search ended.
    mutating func pause() {
        since = nil
        isQueried = false
    }

    var isOverdue: Bool { isDiscovering == false && missing >= Timing.discoveryGap }
    var isQueryDue: Bool { isOverdue && !isQueried }
    /// When a query may be due without an event.
    var queryAt: Uptime { since.map { isQueried ? .start : $0 + (Timing.discoveryGap - missing) } ?? .start }
}

/// The number of connections that an adapter can hold: as configured, or fewer if the adapter proved it.
///
/// Adapters don't report their limit. They refuse a new connection, or drop another one for it.
struct SlotBudget: Sendable {
    var configured: Int
    /// The learned limit, and when it expires. After that, one refusal restores it.
    private var learned: (limit: Int, until: Uptime)?
    /// The number of consecutive refusals, by the number of connections then.
    private var refusals: [Int: Int] = [:]
    /// The number of consecutive connections that ended just after a new one, by the number of connections left.
    private var crowdings: [Int: Int] = [:]

    /// How long a limit from refusals holds. Another program or a single device may have caused them, and a new attempt
    /// costs little.
    static let memory: Duration = .seconds(180)
    /// How long a limit from dropped connections holds. A new attempt may cost a connection.
    static let longMemory: Duration = .seconds(3600)
    /// The number of consecutive refusals that prove a limit.
    static let proof = 3
    /// The smallest limit to learn.
    static let fewest = 2

    init(_ configured: Int) {
        self.configured = max(1, configured)
    }

    func limit(at now: Uptime) -> Int {
        guard let learned, now < learned.until else { return configured }
        return min(configured, learned.limit)
    }

    /// Whether no slot is free. The configured limit applies only while blekeep has a connection, because the count of
    /// other programs' connections may be old. A learned limit always applies.
    func isFull(with links: Int, own: Int, at now: Uptime) -> Bool {
        if let learned, now < learned.until, links >= learned.limit { return true }
        return own > 0 && links >= configured
    }

    /// Takes the number of open connections, which the limit can't be below.
    mutating func holds(_ links: Int) {
        if let learned, learned.limit < links { self.learned = (links, learned.until) }
    }

    /// Takes a connection that was made while `used` others were open.
    mutating func succeeded(with used: Int) {
        refusals[used] = nil
        if let learned, used >= learned.limit { self.learned = nil }
    }

    /// Takes a refused attempt to a nearby device while `used` connections were open. Returns whether the limit changed.
    mutating func refused(with used: Int, at now: Uptime) -> Bool {
        guard used >= Self.fewest else { return false }
        if let learned, used >= learned.limit {
            return learn(used, until: max(learned.until, now + Self.memory), at: now)
        }
        refusals[used, default: 0] += 1
        guard refusals[used, default: 0] >= Self.proof else { return false }
        return learn(used, until: now + Self.memory, at: now)
    }

    /// Takes BlueZ's report that the adapter is full with `used` connections.
    mutating func full(with used: Int, at now: Uptime) -> Bool {
        learn(max(Self.fewest, used), until: now + Self.memory, at: now)
    }

    /// Takes a connection that ended just after a new one, with `used` left.
    mutating func crowded(with used: Int, at now: Uptime) -> Bool {
        guard used >= Self.fewest else { return false }
        crowdings[used, default: 0] += 1
        guard crowdings[used, default: 0] >= Self.proof else { return false }
        return learn(used, until: now + Self.longMemory, at: now)
    }

    /// Takes a new connection that no other one ended for, with `links` open.
    mutating func fitted(_ links: Int) {
        crowdings = crowdings.filter { $0.key >= links }
    }

    private mutating func learn(_ limit: Int, until: Uptime, at now: Uptime) -> Bool {
        refusals = [:]
        crowdings = [:]
        let isNew = limit < self.limit(at: now)
        learned = (limit, until)
        return isNew
    }
}

/// The devices of an adapter with a dedicated slot. At most two of the other devices share each remaining slot.
enum SlotOwners: Sendable, Hashable {
    case all
    case only(Set<DeviceNumber>)

    init(of devices: [LinkWorth], slots: Int) {
        let count = Self.count(of: devices.count, slots: slots)
        guard count < devices.count else {
            self = .all
            return
        }
        self = .only(count == 0 ? [] : Set(devices.sorted().prefix(count).map(\.number)))
    }

    /// Returns the number of devices with a dedicated slot.
    static func count(of devices: Int, slots: Int) -> Int {
        devices <= slots ? devices : max(0, 2 * slots - devices)
    }

    func contains(_ number: DeviceNumber) -> Bool {
        switch self {
        case .all: true
        case .only(let numbers): numbers.contains(number)
        }
    }
}

/// The air time of a device's turn, measured while other devices wait.
struct AirTime: Sendable, Hashable {
    /// A moving average of the time from turn to turn, with searches and failed attempts; `nil` before five turns.
    var turn: Duration? { count >= Self.fewest ? mean : nil }

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
