internal import DequeModule
import RunLoop

/// A connection to a bus inside the process.
package final class LoopbackBus: Bus, @unchecked Sendable {
    package let name: BusName
    package var onClose: (() -> Void)?

    private let home: LoopbackDaemon
    private let router = SignalRouter()
    private let server = ObjectServer()
    private let calls: LoopbackCalls
    /// Messages in transit. Each turn of the loop delivers one.
    private var emitted = Deque<Signal>()

    init(_ home: LoopbackDaemon, _ name: BusName) {
        self.home = home
        self.name = name
        calls = LoopbackCalls(home, from: name)
    }

    package var loop: RunLoop { home.loop }
    private var isOpen: Bool { calls.isOpen }

    // MARK: Calls

    package func call(_ call: MethodCall) async throws(BusError) -> [Value] {
        let result = await withUnsafeContinuation { calls.send(call, continuation: $0) }
        return try result.get()
    }

    package func abandonCalls(below path: ObjectPath) { calls.abandon(below: path) }

    package var onPressure: ((ReplyPressure) -> Void)? {
        get { calls.onPressure }
        set { calls.onPressure = newValue }
    }

    /// Replies with an error to calls to a program that left the bus.
    func forget(_ target: LoopbackBus) { calls.forget(target) }

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
            ownerChanged(service, owner: home.owner(of: service)?.name)
        } else {
            follower.hear(router.owner(of: service))
        }
    }

    package func checkOwner(of service: BusName) async throws(BusError) {
        guard isOpen else { throw .disconnected }
        let owner = home.owner(of: service)?.name
        if owner != router.owner(of: service) { ownerChanged(service, owner: owner) }
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

    func ownerChanged(_ service: BusName, owner: BusName?) {
        router.setOwner(of: service, to: owner)
    }

    func services(of sender: BusName) -> [FollowedService] { router.services(of: sender) }

    func receive(_ call: Invocation) { server.receive(from: call.sender) { _ in call } }

    /// The size of the messages that wait while this connection doesn't read.
    var queuedBytes: Int { server.waitingBytes }

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
        calls.end()
        home.leave(self)
    }

    func lose() {
        guard isOpen else { return }
        calls.end()
        onClose?()
    }
}
