import DBus
import RunLoop

/// What the device requests of its adapter: connections, searches and a slot.
extension DeviceMachine {
    /// Whether the device may need a connection or discovery, or is connecting.
    @inline(__always) func needsAdapter(at now: Uptime) -> Bool {
        if link.phase.isIdle, !isConnected, now >= retry.notBefore { return true }
        return plan.mode.listens || isStandingBy || link.phase.isConnecting
    }

    /// Returns the device's request.
    ///
    /// - Parameters:
    ///   - owners: the devices with a dedicated slot of the adapter.
    ///   - worth: its `linkWorth`, if that is known already.
    ///   - listensOpenly: whether the adapter listens without a pause.
    ///   - isMonitored: whether BlueZ listens without asking the devices.
    func contender(
        owners: SlotOwners, worth: LinkWorth? = nil, listensOpenly: Bool, isMonitored: Bool, in mode: PowerMode,
        at now: Uptime
    ) -> Contender {
        var contender = Contender(turn: turn(worth: worth, at: now), contact: contact)
        contender.wish = wish(owners: owners, in: mode, at: now)
        contender.connection = connection(owners: owners, at: now)
        contender.nextTick = nextTick
        contender.isConnectable = plan.mode != .passive
        contender.isExpected = mayWantConnection && retry.isReliable
        contender.isListenedTo =
            maySearch(in: mode) && isListenedTo(openly: listensOpenly, isMonitored: isMonitored, at: now)
        contender.windowPause = contender.isListenedTo ? windowPause(at: now) : nil
        contender.isToBeHeard = isStandingBy || plan.mode.listens && !isFinished && !isPaused
        return contender
    }

    /// Leaves of a request what an adapter does for a device that another one reads: it hears what BlueZ's monitors hear,
    /// and searches for a device that no adapter knows, that its own one can't connect, or misses when it advertises. Windows
    /// ask sensors, so that one adapter has them while that suffices.
    func onlyHelps(_ request: inout Contender, on adapter: ObjectPath, at now: Uptime) {
        if !known.isEmpty {
            // Also during an attempt, which is likely to fail.
            let isMissing = ranking.isDoubtful && hasTick && !isConnected && plan.mode != .passive
            let isSought = isMissing && !known.contains { $0.adapter == adapter }
            request.wish = isSought ? .search(isAllowed: true) : .none
        }
        request.connection = .none
        request.isExpected = false
        let limit = (shortestInterval ?? .zero) * 2
        let isMissed = listening.map { $0.isTriggered || $0.silence(at: now) > limit } ?? false
        request.isListenedTo = request.isListenedTo && isMissed && !isStandingBy
        request.isToBeHeard = request.isToBeHeard && plan.mode.listens
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
        case .held where isConnected && !hasTick && !owners.contains(number): return .spare
        case .released, .held, .connecting, .watching, .resolving, .polling: return isConnected ? .up : .none
        }
    }

    /// blekeep's attempt to connect it, if one is in progress.
    @inline(__always) func attempt(at now: Uptime) -> Contender.Connection? {
        guard link.phase.isConnecting else { return nil }
        return .attempt(hasHadItsTurn: link.hasHadItsTurn(at: now))
    }

    private func mayConnect(at now: Uptime) -> Bool {
        switch plan.mode {
        case .passive: false
        case .heard: contact.wasHeard(within: Timing.justHeard, of: now)
        case .auto, .hold, .release: true
        }
    }

    /// Whether the device's connection is held between its ticks.
    @inline(__always) func isHeld(owners: SlotOwners) -> Bool {
        plan.isHeld(every: shortestInterval, hasSlot: owners.contains(number))
    }

    /// Whether the connection is held only if the device has a dedicated slot.
    @inline(__always) var needsSlotToBeHeld: Bool { isHeld(owners: .all) && !isHeld(owners: .only([])) }

    /// Returns the device's turn: an interval after the last one. After a failure, two intervals after its pause, but at
    /// least 40 s.
    func turn(worth: LinkWorth? = nil, at now: Uptime) -> Turn {
        let last = max(link.triedAt, contact.readAt ?? .start, contact.searchedAt ?? .start)
        let interval = shortestInterval ?? .seconds(60)
        let due =
            retry.backoff.failures == 0
            ? last + interval : max(last, retry.notBefore) + max(interval, .seconds(20)) * 2
        return Turn(hasTick: hasTick, due: due, isNear: contact.isNear(at: now), worth: worth ?? linkWorth)
    }

    @inline(__always) var linkWorth: LinkWorth {
        var worth = plan.worth(of: number, place: place, failures: retry.backoff.failures)
        worth.subscribes = worth.subscribes || history.isSubscribed
        return worth
    }
}

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

/// A device's request to its adapter at a given time.
struct Contender: Sendable, Hashable {
    let turn: Turn
    var wish = Wish.none
    var connection = Connection.none
    var nextTick = Uptime.never
    /// Whether it will need a connection for that tick, and is reliable.
    var isExpected = false
    /// Whether blekeep connects the device at all.
    var isConnectable = true
    /// Whether it needs discovery for its advertisements.
    var isListenedTo = false
    /// How soon a window must follow the last one, where BlueZ also listens; `nil` for no hurry.
    var windowPause: Duration?
    /// Whether its advertisements matter.
    var isToBeHeard = false
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

    var number: DeviceNumber { turn.number }

    /// Whether the device uses a slot of the adapter.
    var isUp: Bool {
        switch connection {
        case .none, .attempt: false
        case .up, .spare: true
        case .ending(let isUp): isUp
        }
    }

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

    var number: DeviceNumber { worth.number }
    var place: Int { worth.place }
    /// The number of consecutive failures.
    var failures: Int { worth.failures }
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
    let number: DeviceNumber
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
    func worth(of number: DeviceNumber, place: Int, failures: Int = 0) -> LinkWorth {
        LinkWorth(number: number, place: place, subscribes: subscribes, failures: failures, interval: shortestInterval)
    }
}
