import RunLoop

extension RadioQueue {
    /// What all devices of an adapter want at a moment: nobody who can be relied on waits for who can't.
    struct Round: Sendable {
        /// Those who want to be connected and are there.
        let candidates: [Contender]
        /// Those who want to be connected and are to be found first.
        let missing: [Contender]
        /// Whose connection is being made.
        let attempt: Contender?
        /// Whether all slots are taken.
        let isFull: Bool
        private let all: [Contender]
        /// Whether the adapter can hold a connection to each of its devices.
        private let hasSlotsForAll: Bool
        /// Whether a candidate's turn is overdue.
        private let hasOverdue: Bool
        /// Whether the first turn of all is overdue, and is that of a device that is to be found.
        let isSearchOverdue: Bool

        init(_ contenders: [Contender], _ slots: SlotBudget, foreign: Int, at now: Uptime) {
            all = contenders
            let wanting = Self.timely(contenders.filter { $0.wish != .none }, among: contenders, at: now)
            candidates = wanting.filter { $0.wish == .connection }
            missing = wanting.filter { $0.wish != .connection }
            attempt = contenders.first { if case .attempt = $0.connection { true } else { false } }
            let ours = contenders.count(where: \.isUp)
            isFull = slots.isFull(with: ours + foreign, ours: ours, at: now)
            hasSlotsForAll = contenders.count(where: \.isConnectable) <= slots.limit(at: now) - foreign
            hasOverdue = candidates.contains { $0.turn.due < now }
            let first = candidates.map(\.turn).min()
            isSearchOverdue = missing.contains {
                guard $0.wish == .search(isAllowed: true), $0.turn.due < now else { return false }
                return if let first { $0.turn < first } else { true }
            }
        }

        /// Those whose attempt, should it fail, costs no other device its moment, as an attempt isn't over before the
        /// kernel says so. Whose turn is overdue need not care.
        private static func timely(
            _ wanting: [Contender], among contenders: [Contender], at now: Uptime
        ) -> [Contender] {
            guard wanting.contains(where: { !$0.turn.isDueAndReliable }) else { return wanting }
            let expected = contenders.filter {
                $0.isExpected && $0.nextTick > now && $0.nextTick - now < Timing.patience
            }
            guard let next = expected.map({ ($0.nextTick, $0.id) }).min(by: <) else { return wanting }
            return wanting.filter {
                $0.turn.isDueAndReliable || $0.turn.due < now || $0.turn.failures == 0 && ($0.nextTick, $0.id) <= next
            }
        }

        var next: Contender? { candidates.min { $0.turn < $1.turn } }

        /// Whether one waits besides this one who can be relied on.
        func isAwaited(besides next: Contender) -> Bool {
            candidates.contains { $0.id != next.id && $0.turn.isDueAndReliable }
        }

        var isListening: Bool { all.contains(where: \.isListenedTo) }

        /// Whether one waits who can be relied on.
        var isWaitedFor: Bool {
            candidates.contains(where: \.turn.isDueAndReliable) || missing.contains(where: \.isSought)
        }

        /// Whether a search goes on for those that were not found: not for those that fail, where one that can be relied
        /// on has been found and waits.
        var isSearchWorthwhile: Bool {
            !missing.isEmpty
                && (missing.contains(where: \.isSought) || !candidates.contains(where: \.turn.isDueAndReliable))
        }

        /// Whether to search comes before to connect: for one that can be relied on, where those who are there can't, and
        /// nobody's turn is overdue.
        private var isSearchFirst: Bool {
            missing.contains(where: \.isSought) && !candidates.contains(where: \.turn.isDueAndReliable) && !hasOverdue
        }

        /// Whether to connect comes before to search: not where all slots are taken and connections are only to be held.
        var isUrgent: Bool {
            !isSearchFirst && (candidates.contains(where: \.turn.hasTick) || !candidates.isEmpty && !isFull)
        }

        /// Whose connection isn't needed for longest: one that brings values by itself only if there is no other. `nil`
        /// also while one is ending.
        var sparest: DeviceID? {
            let isOneEnding = all.contains { if case .ending = $0.connection { true } else { false } }
            return isOneEnding ? nil : all.filter { $0.connection == .spare }.max(by: Self.isNeededMore)?.id
        }

        private static func isNeededMore(_ left: Contender, _ right: Contender) -> Bool {
            let (worth, other) = (left.turn.worth, right.turn.worth)
            if worth.subscribes != other.subscribes { return worth.subscribes }
            return left.nextTick == right.nextTick ? worth < other : left.nextTick < right.nextTick
        }

        /// How long an attempt may last. Where devices take turns, one that has just failed doesn't hold up the others.
        func patience(with next: Contender, at now: Uptime) -> Duration {
            if !hasSlotsForAll, next.turn.failures > 0 { return Timing.connectDoubtful }
            if next.contact.wasHeard(within: Timing.recently, of: now) { return Timing.connectHeard }
            return all.count(where: \.isConnectable) > 1 ? Timing.connectShared : Timing.connectUnheard
        }

        /// Whether discovery goes on although it has found what was searched for, or never will.
        func goesOnListening(since: Uptime, at now: Uptime) -> Bool {
            guard isListening, candidates.isEmpty || isFull else { return false }
            // One that hears nothing at all for so long may be dead: it is begun anew.
            return now - since < Timing.listenAnew
                || all.contains { $0.isListenedTo && $0.contact.wasHeard(within: Timing.listenAnew, of: now) }
        }
    }
}
