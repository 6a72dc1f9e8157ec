internal import DequeModule
import RunLoop

/// Events on their way to the keeper's one loop. Bounded by nature: each source has at most a few under way.
final class Inbox: @unchecked Sendable {
    private var events = Deque<Event>()
    private let gate: Gate

    init(_ loop: RunLoop) {
        gate = Gate(loop)
    }

    func post(_ event: Event) {
        events.append(event)
        gate.open()
    }

    /// Puts an event before all others: what happened earlier than they were noticed.
    func postFirst(_ event: Event) {
        events.prepend(event)
        gate.open()
    }

    /// The next event; `.time` when none has come until `deadline`.
    func next(until deadline: Uptime) async -> Event {
        if events.isEmpty { await gate.wait(until: deadline) }
        return events.popFirst() ?? .time
    }
}
