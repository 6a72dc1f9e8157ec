internal import DequeModule
import RunLoop

/// A connection to a bus inside the process.
package final class LoopbackBus: Bus, @unchecked Sendable {
    package let name: BusName
    package var onClose: (() -> Void)?

    package var onPressure: ((ReplyPressure) -> Void)?

    private let home: LoopbackDaemon
    let router = SignalRouter()
    let server = ObjectServer()
    private var isOpen = true
    /// The calls in progress, in the order in which they were sent.
    private var pending: [SentCall] = []
    private var queue = Deque<(MethodCall, Continuation)>()
    /// Calls whose caller stopped waiting, while the daemon still waits for their replies.
    private var abandoned: [SentCall] = []
    private var slots = ReplySlots()
    private var lastSerial: UInt32 = 0

    init(_ home: LoopbackDaemon, _ name: BusName) { (self.home, self.name) = (home, name) }

    package var loop: RunLoop { home.loop }

    // MARK: Calls

    private typealias Continuation = UnsafeContinuation<Result<[Value], BusError>, Never>

    package func call(_ call: MethodCall) async throws(BusError) -> [Value] {
        let result = await withUnsafeContinuation { send(call, continuation: $0) }
        return try result.get()
    }

    private func send(_ call: MethodCall, continuation: Continuation) {
        guard isOpen else { return continuation.resume(returning: .failure(.disconnected)) }
        // Check here, not before the await: other jobs may send calls in between.
        guard pending.count < maxCallsInFlight else { return queue.append((call, continuation)) }
        lastSerial &+= 1
        let sent = SentCall(
            call, serial: lastSerial, from: self, to: home.owner(of: call.destination), continuation: continuation)
        pending.append(sent)
        loop.arm(sent, at: loop.now + call.within)
        loop.soon { self.deliver(sent) }
    }

    private func deliver(_ sent: SentCall) {
        guard isOpen else { return }
        do throws(BusError) {
            try reserveSlot()
            sent.isDelivered = true
            try home.deliver(sent.call, from: name) { result in
                // The message of the reply. A second one is ignored.
                sent.answer = result
                self.loop.soon { if let answer = sent.answer.take() { self.finish(sent, result: answer) } }
            }
        } catch {
            if error.isLimitExceeded { onPressure?(.critical) }
            finish(sent, result: .failure(error))
        }
    }

    /// Checks that the daemon has a slot for one more call. Throws the daemon's refusal.
    private func reserveSlot() throws(BusError) {
        let limit = home.limits.replies
        guard pending.count + slots.count > limit, pending.count(where: \.isDelivered) + slots.count >= limit
        else { return }
        throw home.refusal("The maximum number of pending replies per connection has been reached")
    }

    /// Passes a call's result to its caller, and sends the next queued call. An abandoned call only frees its slot.
    private func finish(_ sent: SentCall, result: Result<[Value], BusError>) {
        guard let place = pending.firstIndex(where: { $0 === sent }) else { return free(sent) }
        pending.remove(at: place)
        loop.disarm(sent)
        sent.resume(result)
        if let (call, continuation) = queue.popFirst() { send(call, continuation: continuation) }
    }

    private func finish(_ result: Result<[Value], BusError>, where isMeant: (SentCall) -> Bool) {
        guard !pending.isEmpty else { return }
        for sent in pending.filter(isMeant) { finish(sent, result: result) }
    }

    /// Stops waiting for a reply. The daemon still waits for it.
    private func giveUp(_ sent: SentCall, error: BusError) {
        guard pending.contains(where: { $0 === sent }) else { return }
        if sent.target != nil {
            abandoned.append(sent)
            if let pressure = slots.abandon(sent.serial) { onPressure?(pressure) }
        }
        finish(sent, result: .failure(error))
    }

    /// Takes a late reply.
    private func free(_ sent: SentCall) {
        abandoned.removeAll { $0 === sent }
        slots.free(sent.serial)
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
        for sent in pending.filter({ $0.call.path.isAt(orBelow: path) }) { giveUp(sent, error: .vanished) }
    }

    /// Ends the calls to a program that left the bus, with the daemon's error.
    func forget(_ target: LoopbackBus) {
        let message = "Message recipient disconnected from message bus without replying"
        finish(.failure(.remote(name: "org.freedesktop.DBus.Error.NoReply", message: message))) { $0.target === target }
        for sent in abandoned where sent.target === target { free(sent) }
    }

    /// A call that waits for its reply, until its deadline.
    private final class SentCall: LoopTimer {
        let call: MethodCall
        let serial: UInt32
        let target: LoopbackBus?
        private let bus: LoopbackBus
        private let continuation: Continuation
        var isDelivered = false
        /// The reply, in transit.
        var answer: Result<[Value], BusError>?

        init(
            _ call: MethodCall, serial: UInt32, from bus: LoopbackBus, to target: LoopbackBus?,
            continuation: Continuation
        ) {
            self.call = call
            self.serial = serial
            self.bus = bus
            self.target = target
            self.continuation = continuation
        }

        override func fire() { bus.giveUp(self, error: .timedOut) }

        func resume(_ result: Result<[Value], BusError>) {
            guard call.options.wants != nil else { return continuation.resume(returning: result) }
            continuation.resume(returning: result.map { call.options.wanted(of: $0) })
        }
    }

    // MARK: Following

    package func follow(_ service: BusName, handler: @escaping (ServiceEvent) -> Void) async throws(BusError) {
        try follow(service, follower: .everything(handler))
    }

    package func followOwner(of service: BusName, _ handler: @escaping (BusName?) -> Void) async throws(BusError) {
        try follow(service, follower: .owner(handler))
    }

    private func follow(_ service: BusName, follower: SignalRouter.Follower) throws(BusError) {
        guard isOpen else { throw .disconnected }
        if router.add(service, follower: follower) {
            if let refusal = refusalOfRules() {
                router.removeFollowers(of: service)
                throw refusal
            }
            router.setOwner(of: service, to: home.owner(of: service)?.name)
        } else {
            follower.hear(router.owner(of: service))
        }
    }

    package func checkOwner(of service: BusName) async throws(BusError) {
        guard isOpen else { throw .disconnected }
        let owner = home.owner(of: service)?.name
        if owner != router.owner(of: service) { router.setOwner(of: service, to: owner) }
    }

    package func listen(_ service: BusName, for matches: [SignalMatch]) async throws(BusError) {
        guard isOpen else { throw .disconnected }
        for match in matches { _ = router.add(match, of: service) }
        guard let refusal = refusalOfRules() else { return }
        ignore(service, matches: matches)
        throw refusal
    }

    /// Returns the error when there are too many rules; `nil` when there aren't.
    private func refusalOfRules() -> BusError? {
        guard router.ruleCount > home.limits.matchRules else { return nil }
        return home.refusal("Connection \"\(name)\" is not allowed to add more match rules")
    }

    package func ignore(_ service: BusName, matches: [SignalMatch]) {
        for match in matches { _ = router.remove(match, of: service) }
    }

    // MARK: Own names and objects

    package var admits: ((_ sender: BusName) -> Admission)? {
        get { server.admits }
        set { server.admits = newValue }
    }

    package func release(_ sender: BusName, answering: Bool) { server.release(sender, answering: answering) }

    package var isDeaf: Bool {
        get { server.isDeaf }
        set { server.isDeaf = newValue }
    }

    package func send(_ call: MethodCall) {
        guard isOpen else { return }
        // The signal is sent, even when the connection ends now.
        loop.soon { try? self.home.deliver(call, from: self.name) { _ in } }
    }

    package func emit(_ signal: Signal) {
        guard isOpen else { return }
        // The daemon sets the sender, whatever the message claims.
        loop.soon { for service in self.home.audience(of: self.name) { service.deliver(signal) } }
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
        abandoned = []
    }
}
