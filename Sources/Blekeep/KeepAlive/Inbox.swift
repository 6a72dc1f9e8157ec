internal import DequeModule
import RunLoop

/// Events on their way to the keeper's one loop. Bounded by nature: each source has at most a few under way.
final class Inbox: @unchecked Sendable {
    // Touched with every event, on the loop's thread only.
    private var events = Deque<Event>()
    private let gate: Gate

    init(_ loop: RunLoop) {
        gate = Gate(loop)
    }

    var count: Int { events.count }

    func post(_ event: Event) {
        events.append(event)
        gate.open()
    }

    /// Puts the end of a sleep before all others: what happened earlier than they were noticed. Only its beginning
    /// comes before it, or the keeper would sleep on.
    func postFirst(_ event: Event) {
        let begin = events.lastIndex { if case .sleep = $0 { true } else { false } }
        events.insert(event, at: begin.map { $0 + 1 } ?? 0)
        gate.open()
    }

    /// The next event; `.time` when none has come until `deadline`.
    func next(until deadline: Uptime) async -> Event {
        if events.isEmpty { await gate.wait(until: deadline) }
        return events.popFirst() ?? .time
    }
}
