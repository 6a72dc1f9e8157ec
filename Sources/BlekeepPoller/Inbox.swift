internal import DequeModule
import RunLoop

/// The queue of events for the keeper's loop. It stays short, because each source has at most a few events in progress.
final class Inbox: @unchecked Sendable {
    // Used only on the loop's thread.
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

    /// Puts the end of a sleep first, because it happened before all other events except the beginning of the sleep.
    func postFirst(_ event: Event) {
        let begin = events.lastIndex { if case .sleep = $0 { true } else { false } }
        events.insert(event, at: begin.map { $0 + 1 } ?? 0)
        gate.open()
    }

    /// Returns the next event, or `.time` at the deadline.
    func next(until deadline: Uptime) async -> Event {
        if events.isEmpty { await gate.wait(until: deadline) }
        return events.popFirst() ?? .time
    }
}
