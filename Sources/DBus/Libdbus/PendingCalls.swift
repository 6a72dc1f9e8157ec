internal import DequeModule
import RunLoop

/// A call without a reply so far.
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

    /// Resumes the caller. Call it once.
    func finish(_ result: Result<[Value], BusError>) { continuation.resume(returning: result) }
}

/// The calls of a connection that wait for a reply, the oldest first, and the calls that wait to be sent.
///
/// Few calls wait at a time, and replies mostly belong to the oldest. A search is therefore faster than a hash.
struct PendingCalls {
    typealias Continuation = UnsafeContinuation<Result<[Value], BusError>, Never>

    struct Queued {
        let call: MethodCall
        let continuation: Continuation
    }

    private(set) var sent: [SentCall] = []
    private var queue = Deque<Queued>()

    /// Whether no call waits for a reply.
    var isEmpty: Bool { sent.isEmpty }

    /// The earliest deadline; `never` when no call waits for a reply.
    var deadline: Uptime { sent.lazy.map(\.deadline).min() ?? .never }

    /// Queues a call if too many calls wait for a reply.
    ///
    /// - Returns: whether to send the call now.
    mutating func admit(_ call: Queued) -> Bool {
        if sent.count < maxCallsInFlight { return true }
        queue.append(call)
        return false
    }

    mutating func append(_ call: SentCall) { sent.append(call) }

    mutating func remove(_ serial: UInt32) -> SentCall? {
        sent.firstIndex { $0.serial == serial }.map { sent.remove(at: $0) }
    }

    /// Adds a removed call again, because the message wasn't its reply.
    mutating func putBack(_ call: SentCall) { sent.insert(call, at: 0) }

    /// Removes and returns the next call to send.
    mutating func next() -> Queued? { sent.count < maxCallsInFlight ? queue.popFirst() : nil }

    /// Removes and returns the queued calls to objects at or below `path`.
    mutating func removeQueued(below path: ObjectPath) -> [Queued] {
        let gone = queue.filter { $0.call.path.isAt(orBelow: path) }
        queue.removeAll { $0.call.path.isAt(orBelow: path) }
        return Array(gone)
    }
}
