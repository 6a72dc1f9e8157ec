internal import DequeModule
import RunLoop

/// A connection to a bus inside the process.
package final class LoopbackBus: Bus, @unchecked Sendable {
    package let name: BusName
    package var onClose: (() -> Void)?
    package var onPressure: ((ReplyPressure) -> Void)?

    private let home: LoopbackDaemon
    private let router = SignalRouter()
    private let server = ObjectServer()
    /// In the order in which they were sent.
    private var pending: [PendingCall] = []
    private var queue = Deque<(MethodCall, Continuation)>()
    /// The calls that we gave up, while the daemon still waits for their replies.
    private var abandoned: [PendingCall] = []
    private var slots = ReplySlots()
    private var lastSerial: UInt32 = 0
    /// On their way: the loop delivers one each time. What it keeps for that is the connection alone.
    private var emitted = Deque<Signal>()
    private var isOpen = true

    private typealias Continuation = UnsafeContinuation<Result<[Value], BusError>, Never>

    /// A call that awaits its answer, until its deadline.
    private final class PendingCall: LoopTimer {
        let call: MethodCall
        let serial: UInt32
        let target: LoopbackBus?
        private let continuation: Continuation
        private let bus: LoopbackBus
        private(set) var isDelivered = false
        private var answer: Result<[Value], BusError>?

        init(
            _ call: MethodCall, _ serial: UInt32, to target: LoopbackBus?, of bus: LoopbackBus,
            _ continuation: Continuation
        ) {
            self.call = call
            self.serial = serial
            self.target = target
            self.bus = bus
            self.continuation = continuation
        }

        override func fire() { bus.giveUp(self, .timedOut) }

        func deliver() {
            guard bus.isOpen else { return }
            do throws(BusError) {
                guard bus.hasFreeSlot else {
                    throw bus.home.refusal(
                        "The maximum number of pending replies per connection has been reached")
                }
                isDelivered = true
                try bus.home.deliver(call, from: bus.name) { self.wasAnswered($0) }
            } catch {
                if error.isLimitExceeded { bus.onPressure?(.critical) }
                bus.finish(self, .failure(error))
            }
        }

        /// Once; the answer is on its way.
        private func wasAnswered(_ result: Result<[Value], BusError>) {
            answer = result
            bus.loop.soon { self.arrive() }
        }

        private func arrive() {
            if let answer = answer.take() { bus.finish(self, answer) }
        }

        func resume(_ result: Result<[Value], BusError>) {
            guard call.options.wants != nil else { return continuation.resume(returning: result) }
            continuation.resume(returning: result.map { call.options.wanted(of: $0) })
        }
    }

    init(_ home: LoopbackDaemon, _ name: BusName) {
        self.home = home
        self.name = name
    }

    package var loop: RunLoop { home.loop }

    // MARK: Calls

    package func call(_ call: MethodCall) async throws(BusError) -> [Value] {
        let result = await withUnsafeContinuation { send(call, $0) }
        return try result.get()
    }

    private func send(_ call: MethodCall, _ continuation: Continuation) {
        guard isOpen else { return continuation.resume(returning: .failure(.disconnected)) }
        // Asked here and not before the await: what runs in between may send calls, too.
        guard pending.count < mostCallsInFlight else { return queue.append((call, continuation)) }
        lastSerial &+= 1
        let waiting = PendingCall(call, lastSerial, to: home.owner(of: call.destination), of: self, continuation)
        pending.append(waiting)
        loop.arm(waiting, at: loop.now + call.within)
        loop.soon { waiting.deliver() }
    }

    /// Whether the daemon has a slot for one more call.
    private var hasFreeSlot: Bool {
        let limit = home.limits.replies
        return pending.count + slots.count <= limit || pending.count(where: \.isDelivered) + slots.count < limit
    }

    /// Stops waiting for a reply; the daemon does not.
    private func giveUp(_ waiting: PendingCall, _ error: BusError) {
        guard pending.contains(where: { $0 === waiting }) else { return }
        if waiting.target != nil {
            abandoned.append(waiting)
            if let pressure = slots.abandon(waiting.serial) { onPressure?(pressure) }
        }
        finish(waiting, .failure(error))
    }

    /// A late reply.
    private func free(_ waiting: PendingCall) {
        abandoned.removeAll { $0 === waiting }
        slots.free(waiting.serial)
    }

    private func finish(_ waiting: PendingCall, _ result: Result<[Value], BusError>) {
        guard let place = pending.firstIndex(where: { $0 === waiting }) else { return free(waiting) }
        pending.remove(at: place)
        loop.disarm(waiting)
        waiting.resume(result)
        if let (call, continuation) = queue.popFirst() { send(call, continuation) }
    }

    private func finish(_ result: Result<[Value], BusError>, where isMeant: (PendingCall) -> Bool) {
        guard !pending.isEmpty else { return }
        for waiting in pending.filter(isMeant) { finish(waiting, result) }
    }

    package func abandonCalls(below path: ObjectPath) {
        if !queue.isEmpty {
            let queued = queue
            queue = Deque(queued.filter { !$0.0.path.isAt(orBelow: path) })
            for (call, continuation) in queued where call.path.isAt(orBelow: path) {
                continuation.resume(returning: .failure(.vanished))
            }
        }
        guard !pending.isEmpty else { return }
        for waiting in pending.filter({ $0.call.path.isAt(orBelow: path) }) { giveUp(waiting, .vanished) }
    }

    /// The daemon answers for somebody who left without answering.
    func forget(_ target: LoopbackBus) {
        let message = "Message recipient disconnected from message bus without replying"
        finish(.failure(.remote(name: "org.freedesktop.DBus.Error.NoReply", message: message))) { $0.target === target }
        for waiting in abandoned where waiting.target === target { free(waiting) }
    }

    // MARK: Following

    package func follow(_ service: BusName, _ handler: @escaping (ServiceEvent) -> Void) async throws(BusError) {
        try follow(service, .everything(handler))
    }

    package func followOwner(of service: BusName, _ handler: @escaping (BusName?) -> Void) async throws(BusError) {
        try follow(service, .owner(handler))
    }

    private func follow(_ service: BusName, _ follower: SignalRouter.Follower) throws(BusError) {
        guard isOpen else { throw .disconnected }
        if router.add(service, follower) {
            if let refusal = refusalOfRules() {
                router.removeFollowers(of: service)
                throw refusal
            }
            ownerChanged(service, home.owner(of: service)?.name)
        } else {
            follower.hear(router.owner(of: service))
        }
    }

    package func listen(_ service: BusName, for matches: [SignalMatch]) async throws(BusError) {
        guard isOpen else { throw .disconnected }
        for match in matches { _ = router.add(match, of: service) }
        guard let refusal = refusalOfRules() else { return }
        ignore(service, matches)
        throw refusal
    }

    /// Why the daemon does not take all the rules that there are now; `nil`: it does.
    private func refusalOfRules() -> BusError? {
        guard router.ruleCount > home.limits.matchRules else { return nil }
        return home.refusal("Connection \"\(name)\" is not allowed to add more match rules")
    }

    package func ignore(_ service: BusName, _ matches: [SignalMatch]) {
        for match in matches { _ = router.remove(match, of: service) }
    }

    func ownerChanged(_ service: BusName, _ owner: BusName?) {
        router.setOwner(of: service, to: owner)
    }

    func services(of sender: BusName) -> [FollowedService] { router.services(of: sender) }

    func receive(_ call: Invocation) { server.handle(call) }

    /// The size of what waits for us while we don't read.
    var queuedBytes: Int { server.waitingBytes }

    // MARK: Our own side

    package var isDeaf: Bool {
        get { server.isDeaf }
        set { server.isDeaf = newValue }
    }

    package func send(_ call: MethodCall) {
        guard isOpen else { return }
        // It is on its way, also when we leave.
        loop.soon { try? self.home.deliver(call, from: self.name) { _ in } }
    }

    package func emit(_ signal: Signal) {
        guard isOpen else { return }
        // The daemon says who the sender is, not what anybody claims.
        emitted.append(signal)
        loop.soon { self.deliverNext() }
    }

    private func deliverNext() {
        guard let signal = emitted.popFirst() else { return }
        for service in home.audience(of: name) { service.deliver(signal) }
    }

    package func export(_ object: ExportedObject) { server.export(object) }

    package func withdraw(_ path: ObjectPath) { server.withdraw(path) }

    package func own(_ name: BusName) async throws(BusError) -> Bool {
        guard isOpen else { throw .disconnected }
        return home.own(name, by: self)
    }

    package func release(_ name: BusName) async throws(BusError) { home.release(name, by: self) }

    // MARK: The end

    package func close() {
        guard isOpen else { return }
        end()
        home.leave(self)
    }

    func lose() {
        guard isOpen else { return }
        end()
        onClose?()
    }

    private func end() {
        isOpen = false
        finish(.failure(.disconnected)) { _ in true }
    }
}
