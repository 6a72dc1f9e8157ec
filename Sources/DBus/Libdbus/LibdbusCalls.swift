internal import CDBus
import RunLoop

/// The calls of a connection. Each is sent, waits for its reply until its deadline, and ends once.
///
/// A table matches replies by serial, because libdbus's pending calls would double the cost of a call.
final class LibdbusCalls {
    var onPressure: ((ReplyPressure) -> Void)?

    private let transport: Transport
    private let subscriptions: Subscriptions
    private let loop: RunLoop
    private var pending = PendingCalls()
    /// Fires at the earliest deadline of the pending calls, or before it. It isn't armed again for each call.
    private let deadline = DeadlineTimer()
    private var slots = ReplySlots()
    private(set) var isOpen = true

    init(_ transport: Transport, subscriptions: Subscriptions, on loop: RunLoop) {
        self.transport = transport
        self.subscriptions = subscriptions
        self.loop = loop
        deadline.calls = self
    }

    func send(_ queued: PendingCalls.Queued) {
        guard isOpen else { return queued.continuation.resume(returning: .failure(.disconnected)) }
        // Check here, not before the await: other jobs may send calls in between.
        guard pending.admit(queued) else { return }
        let call = queued.call
        guard let serial = transport.send(prepared(call)) else {
            return queued.continuation.resume(returning: .failure(.malformed("the call cannot be sent")))
        }
        let end = loop.now + call.within
        pending.append(
            SentCall(queued, serial: serial, deadline: end, owner: subscriptions.owner(of: call.destination)))
        if !deadline.isArmed || end < deadline.deadline { loop.arm(deadline, at: end) }
    }

    /// Returns a copy of the finished message, which is much cheaper than building it.
    private func prepared(_ call: MethodCall) -> Message? {
        if let finished = call.prepared as? SharedMessage { return finished.message.copy() }
        guard let message = Message(call) else { return nil }
        let copy = message.copy()
        call.prepared = SharedMessage(message)
        return copy
    }

    /// Passes a call's result to its caller.
    private func finish(_ sent: SentCall, result: Result<[Value], BusError>) {
        sent.finish(result)
        while let next = pending.next() { send(next) }
        if pending.isEmpty { loop.disarm(deadline) }
    }

    /// Stops waiting for a reply. The daemon still waits for it.
    private func giveUp(_ serial: UInt32, error: BusError) {
        guard let sent = pending.remove(serial) else { return }
        if sent.call.destination != .daemon, let pressure = slots.abandon(serial) { onPressure?(pressure) }
        finish(sent, result: .failure(error))
    }

    fileprivate func endOverdue() {
        let now = loop.now
        for sent in pending.sent where sent.deadline <= now { giveUp(sent.serial, error: .timedOut) }
        if !pending.isEmpty { loop.arm(deadline, at: pending.deadline) }
    }

    func abandon(below path: ObjectPath) {
        for queued in pending.removeQueued(below: path) { queued.continuation.resume(returning: .failure(.vanished)) }
        for sent in pending.sent where sent.call.path.isAt(orBelow: path) { giveUp(sent.serial, error: .vanished) }
    }

    /// Ends all calls, as the connection is closed.
    func end() {
        isOpen = false
        for sent in pending.sent {
            if pending.remove(sent.serial) != nil { finish(sent, result: .failure(.disconnected)) }
        }
    }

    // MARK: Replies

    func receiveReply(_ message: borrowing Message) {
        let serial = message.replySerial
        guard let sent = pending.remove(serial) else { return slots.free(serial) }
        guard mayAnswer(message, sent: sent) else { return pending.putBack(sent) }
        if let error = message.error {
            // Report it before the caller resumes, so that the caller's next attempt gets a new connection.
            if error.isLimitExceeded, message.sender == .daemon, sent.call.destination != .daemon {
                onPressure?(.critical)
            }
            return finish(sent, result: .failure(error))
        }
        let options = sent.call.options
        let result: Result<[Value], BusError>
        do throws(BusError) {
            result = .success(
                try Marshalling.values(of: message.raw, atMost: options.largestReply, wants: options.wants))
        } catch { result = .failure(error) }
        finish(sent, result: result)
    }

    /// Whether a reply comes from the called program, or from the daemon in its place.
    private func mayAnswer(_ message: borrowing Message, sent: SentCall) -> Bool {
        let destination = sent.call.destination
        guard let sender = message.sender, sender != sent.owner else { return true }
        guard destination.isUnique || subscriptions.follows(destination) else { return true }
        return sender == .daemon || sender == destination || sender == subscriptions.owner(of: destination)
    }
}

private final class DeadlineTimer: LoopTimer {
    weak var calls: LibdbusCalls?

    override func fire() { calls?.endOverdue() }
}
