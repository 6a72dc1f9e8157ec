internal import DequeModule
import RunLoop

/// A call that was sent and isn't answered yet.
final class SentCall {
    let call: MethodCall
    let serial: UInt32
    let deadline: Uptime
    /// The owner of the call's destination when the call was sent.
    let owner: BusName?
    private let continuation: PendingCalls.Continuation

    init(_ queued: PendingCalls.Queued, serial: UInt32, deadline: Uptime, owner: BusName?) {
        call = queued.call
        continuation = queued.continuation
        self.serial = serial
        self.deadline = deadline
        self.owner = owner
    }

    /// Lets the caller go on; once.
    func finish(_ result: Result<[Value], BusError>) { continuation.resume(returning: result) }
}

/// The calls of a connection: those that wait for their answers, the oldest first, and those that wait to be sent.
///
/// Few calls wait for an answer, and it mostly belongs to one of the oldest: a search costs less than a hash.
struct PendingCalls {
    typealias Continuation = UnsafeContinuation<Result<[Value], BusError>, Never>

    struct Queued {
        let call: MethodCall
        let continuation: Continuation
    }

    private(set) var sent: [SentCall] = []
    private var queue = Deque<Queued>()

    /// Whether nothing waits for an answer.
    var isEmpty: Bool { sent.isEmpty }

    /// The earliest deadline; `never` when nothing waits for an answer.
    var deadline: Uptime { sent.lazy.map(\.deadline).min() ?? .never }

    /// Lets a call wait to be sent if too many calls wait for their answers.
    ///
    /// - Returns: whether the call is to be sent now.
    mutating func admit(_ call: Queued) -> Bool {
        if sent.count < mostCallsInFlight { return true }
        queue.append(call)
        return false
    }

    mutating func append(_ call: SentCall) { sent.append(call) }

    mutating func remove(_ serial: UInt32) -> SentCall? {
        sent.firstIndex { $0.serial == serial }.map { sent.remove(at: $0) }
    }

    /// Takes back a call that was removed, as it isn't answered after all.
    mutating func putBack(_ call: SentCall) { sent.insert(call, at: 0) }

    /// Takes the next call that may be sent now.
    mutating func next() -> Queued? { sent.count < mostCallsInFlight ? queue.popFirst() : nil }

    /// Takes the calls to objects at or below `path` that wait to be sent.
    mutating func removeQueued(below path: ObjectPath) -> [Queued] {
        let gone = queue.filter { $0.call.path.isAt(orBelow: path) }
        queue.removeAll { $0.call.path.isAt(orBelow: path) }
        return Array(gone)
    }
}
