internal import DequeModule
import RunLoop

/// The calls of a connection inside the process.
final class LoopbackCalls {
    let home: LoopbackDaemon
    /// The connection's own name.
    let name: BusName
    var onPressure: ((ReplyPressure) -> Void)?
    private(set) var isOpen = true
    /// The calls in progress, in the order in which they were sent.
    private var pending: [LoopbackCall] = []
    private var queue = Deque<(MethodCall, Continuation)>()
    /// Calls whose caller stopped waiting, while the daemon still waits for their replies.
    private var abandoned: [LoopbackCall] = []
    private var slots = ReplySlots()
    private var lastSerial: UInt32 = 0

    typealias Continuation = UnsafeContinuation<Result<[Value], BusError>, Never>

    init(_ home: LoopbackDaemon, from name: BusName) {
        self.home = home
        self.name = name
    }

    func send(_ call: MethodCall, continuation: Continuation) {
        guard isOpen else { return continuation.resume(returning: .failure(.disconnected)) }
        // Check here, not before the await: other jobs may send calls in between.
        guard pending.count < maxCallsInFlight else { return queue.append((call, continuation)) }
        lastSerial &+= 1
        let waiting = LoopbackCall(
            call, serial: lastSerial, to: home.owner(of: call.destination), of: self, continuation: continuation)
        pending.append(waiting)
        home.loop.arm(waiting, at: home.loop.now + call.within)
        home.loop.soon { waiting.deliver() }
    }

    /// Checks that the daemon has a slot for one more call.
    ///
    /// - Throws: the daemon's refusal.
    func reserveSlot() throws(BusError) {
        let limit = home.limits.replies
        guard pending.count + slots.count > limit, pending.count(where: \.isDelivered) + slots.count >= limit
        else { return }
        throw home.refusal("The maximum number of pending replies per connection has been reached")
    }

    /// Stops waiting for a reply. The daemon still waits for it.
    func giveUp(_ waiting: LoopbackCall, error: BusError) {
        guard pending.contains(where: { $0 === waiting }) else { return }
        if waiting.target != nil {
            abandoned.append(waiting)
            if let pressure = slots.abandon(waiting.serial) { onPressure?(pressure) }
        }
        finish(waiting, result: .failure(error))
    }

    /// Takes a late reply.
    private func free(_ waiting: LoopbackCall) {
        abandoned.removeAll { $0 === waiting }
        slots.free(waiting.serial)
    }

    /// Passes a call's result to its caller, and sends the next queued call. An abandoned call only frees its slot.
    func finish(_ waiting: LoopbackCall, result: Result<[Value], BusError>) {
        guard let place = pending.firstIndex(where: { $0 === waiting }) else { return free(waiting) }
        pending.remove(at: place)
        home.loop.disarm(waiting)
        waiting.resume(result)
        if let (call, continuation) = queue.popFirst() { send(call, continuation: continuation) }
    }

    private func finish(_ result: Result<[Value], BusError>, where isMeant: (LoopbackCall) -> Bool) {
        guard !pending.isEmpty else { return }
        for waiting in pending.filter(isMeant) { finish(waiting, result: result) }
    }

    func abandon(below path: ObjectPath) {
        if !queue.isEmpty {
            let queued = queue
            queue = Deque(queued.filter { !$0.0.path.isAt(orBelow: path) })
            for (call, continuation) in queued where call.path.isAt(orBelow: path) {
                continuation.resume(returning: .failure(.vanished))
            }
        }
        guard !pending.isEmpty else { return }
        for waiting in pending.filter({ $0.call.path.isAt(orBelow: path) }) { giveUp(waiting, error: .vanished) }
    }

    /// Ends the calls to a program that left, with the daemon's error.
    func forget(_ target: LoopbackBus) {
        let message = "Message recipient disconnected from message bus without replying"
        finish(.failure(.remote(name: "org.freedesktop.DBus.Error.NoReply", message: message))) { $0.target === target }
        for waiting in abandoned where waiting.target === target { free(waiting) }
    }

    /// Ends all calls, as the connection is closed.
    func end() {
        isOpen = false
        finish(.failure(.disconnected)) { _ in true }
    }
}
