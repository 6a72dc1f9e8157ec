import RunLoop

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
