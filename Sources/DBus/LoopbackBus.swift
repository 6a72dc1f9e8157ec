internal import DequeModule
import RunLoop

/// A connection to a bus inside the process.
package final class LoopbackBus: Bus, @unchecked Sendable {
    package let name: BusName
    package var onClose: (() -> Void)?

    private let home: LoopbackDaemon
    private let router = SignalRouter()
    private let server = ObjectServer()
    private var pending: [UInt64: Waiting] = [:]
    private var queue = Deque<(MethodCall, Continuation)>()
    private var sent: UInt64 = 0
    private var isOpen = true

    private typealias Continuation = UnsafeContinuation<Result<[Value], BusError>, Never>

    private struct Waiting {
        let call: MethodCall
        let owner: BusName?
        let deadline: LoopTimer
        let continuation: Continuation
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
        sent += 1
        let serial = sent
        let deadline = loop.schedule(at: loop.now + call.within) { self.finish(serial, .failure(.timedOut)) }
        let owner = home.owner(of: call.destination)
        pending[serial] = Waiting(call: call, owner: owner, deadline: deadline, continuation: continuation)
        loop.soon {
            guard self.isOpen else { return }
            self.home.deliver(call, from: self.name) { self.finish(serial, $0) }
        }
    }

    private func finish(_ serial: UInt64, _ result: Result<[Value], BusError>) {
        guard let waiting = pending.removeValue(forKey: serial) else { return }
        loop.disarm(waiting.deadline)
        waiting.continuation.resume(returning: result.map { waiting.call.options.wanted(of: $0) })
        if let (call, continuation) = queue.popFirst() { send(call, continuation) }
    }

    private func finish(_ result: Result<[Value], BusError>, where isMeant: (Waiting) -> Bool) {
        for serial in pending.filter({ isMeant($0.value) }).keys.sorted() { finish(serial, result) }
    }

    package func abandonCalls(below path: ObjectPath) {
        if !queue.isEmpty {
            let queued = queue
            queue = Deque(queued.filter { !$0.0.path.isAt(orBelow: path) })
            for (call, continuation) in queued where call.path.isAt(orBelow: path) {
                continuation.resume(returning: .failure(.vanished))
            }
        }
        finish(.failure(.vanished)) { $0.call.path.isAt(orBelow: path) }
    }

    /// The daemon answers for somebody who left without answering.
    func forget(_ owner: BusName) {
        let message = "Message recipient disconnected from message bus without replying"
        finish(.failure(.remote(name: "org.freedesktop.DBus.Error.NoReply", message: message))) { $0.owner == owner }
    }

    // MARK: Following

    package func follow(_ service: BusName, _ handler: @escaping (ServiceEvent) -> Void) async throws(BusError) {
        guard isOpen else { throw .disconnected }
        let isFirst = router.add(service, handler)
        home.findListeners()
        if isFirst {
            router.setOwner(of: service, to: home.owner(of: service))
        } else {
            handler(.owner(router.owner(of: service)))
        }
    }

    package func listen(_ service: BusName, for matches: [SignalMatch]) async throws(BusError) {
        guard isOpen else { throw .disconnected }
        for match in matches { _ = router.add(match, of: service) }
    }

    package func ignore(_ service: BusName, _ matches: [SignalMatch]) {
        for match in matches { _ = router.remove(match, of: service) }
    }

    var isFollowing: Bool { router.isFollowing }

    func ownerChanged(_ service: BusName, _ owner: BusName?) { router.setOwner(of: service, to: owner) }

    func receive(_ signal: Signal, from sender: BusName) {
        router.forEachService(of: sender) { $0.deliver(signal) }
    }

    func receive(_ call: Invocation) { server.handle(call) }

    // MARK: Our own side

    package var isDeaf: Bool {
        get { server.isDeaf }
        set { server.isDeaf = newValue }
    }

    package func send(_ call: MethodCall) {
        guard isOpen else { return }
        // It is on its way, also when we leave.
        loop.soon { self.home.deliver(call, from: self.name) { _ in } }
    }

    package func emit(_ signal: Signal) {
        guard isOpen else { return }
        home.broadcast(signal, from: name)
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
