internal import CDBus
internal import DequeModule
import RunLoop

/// A connection to a real message bus, through libdbus, on the run loop's thread.
package final class LibdbusBus: Bus, @unchecked Sendable {
    package let loop: RunLoop
    package private(set) var name: BusName = ":0.0"
    package var onClose: (() -> Void)?
    package var onPressure: ((ReplyPressure) -> Void)?

    private let transport: Transport
    private let subscriptions = Subscriptions()
    private let server = ObjectServer()
    private var isOpen = true
    /// The calls that wait for a reply, the oldest first. Few wait at a time, and replies mostly belong to the oldest: a
    /// search by serial is faster than a hash, and libdbus's pending calls would double the cost of a call.
    private var pending: [SentCall] = []
    /// The calls that wait to be sent.
    private var queue = Deque<(MethodCall, Continuation)>()
    /// Fires at the earliest deadline of the pending calls, or before it. It isn't armed again for each call.
    private let deadline = DeadlineTimer()
    private var slots = ReplySlots()

    /// Connects to the bus at a D-Bus address. Returns at once when the task is cancelled.
    /// Throws `unreachable`, after at most 8 s.
    package static func connect(to address: String, on loop: RunLoop) async throws(BusError) -> LibdbusBus {
        let deadline = loop.now + .seconds(8)
        let connection = try await ConnectionOpening.open(address, within: deadline - loop.now, on: loop)
        let bus = LibdbusBus(Transport(connection, loop: loop), loop)
        let hello = MethodCall(
            .daemon, at: BusDaemon.path, interface: BusDaemon.name, member: "Hello", within: deadline - loop.now)
        let answer = await withTaskCancellationHandler { () async -> Result<[Value], BusError> in
            do throws(BusError) { return .success(try await bus.call(hello)) } catch { return .failure(error) }
        } onCancel: {
            loop.perform { bus.close() }
        }
        do {
            guard case .string(let name)? = try answer.get().first else { throw BusError.malformed("Hello") }
            bus.name = BusName(unchecked: name)
            return bus
        } catch {
            bus.close()
            throw .unreachable("the message bus at \(address) refused the connection: \(error)")
        }
    }

    private init(_ transport: Transport, _ loop: RunLoop) {
        self.transport = transport
        self.loop = loop
        deadline.bus = self
        transport.onMessage = { [unowned self] in self.receive($0) }
        transport.onDisconnect = { [unowned self] in self.lose() }
        transport.attach()
    }

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
        guard let serial = transport.send(prepared(call)) else {
            return continuation.resume(returning: .failure(.malformed("the call cannot be sent")))
        }
        let end = loop.now + call.within
        pending.append(
            SentCall(
                call: call, continuation: continuation, serial: serial, deadline: end,
                owner: subscriptions.owner(of: call.destination)))
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

    private func receiveReply(_ message: borrowing Message) {
        let serial = message.replySerial
        guard let place = pending.firstIndex(where: { $0.serial == serial }) else { return slots.free(serial) }
        guard mayAnswer(message, sent: pending[place]) else { return }
        let sent = pending.remove(at: place)
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

    /// Passes the result of a call that was removed to its caller, and sends queued calls.
    private func finish(_ sent: SentCall, result: Result<[Value], BusError>) {
        sent.continuation.resume(returning: result)
        while pending.count < maxCallsInFlight, let (call, continuation) = queue.popFirst() {
            send(call, continuation: continuation)
        }
        if pending.isEmpty { loop.disarm(deadline) }
    }

    /// Stops waiting for a reply. The daemon still waits for it.
    private func giveUp(_ serial: UInt32, error: BusError) {
        guard let place = pending.firstIndex(where: { $0.serial == serial }) else { return }
        let sent = pending.remove(at: place)
        if sent.call.destination != .daemon, let pressure = slots.abandon(serial) { onPressure?(pressure) }
        finish(sent, result: .failure(error))
    }

    private func endOverdue() {
        let now = loop.now
        for sent in pending where sent.deadline <= now { giveUp(sent.serial, error: .timedOut) }
        if let earliest = pending.lazy.map(\.deadline).min() { loop.arm(deadline, at: earliest) }
    }

    package func abandonCalls(below path: ObjectPath) {
        let gone = queue.filter { $0.0.path.isAt(orBelow: path) }
        queue.removeAll { $0.0.path.isAt(orBelow: path) }
        for (_, continuation) in gone { continuation.resume(returning: .failure(.vanished)) }
        for sent in pending where sent.call.path.isAt(orBelow: path) { giveUp(sent.serial, error: .vanished) }
    }

    /// A call without a reply so far.
    private struct SentCall {
        let call: MethodCall
        let continuation: Continuation
        let serial: UInt32
        let deadline: Uptime
        /// The owner of the call's destination when the call was sent.
        let owner: BusName?
    }

    private final class DeadlineTimer: LoopTimer {
        weak var bus: LibdbusBus?

        override func fire() { bus?.endOverdue() }
    }

    // MARK: Incoming messages

    private func receive(_ message: consuming Message) {
        switch message.type {
        case DBUS_MESSAGE_TYPE_METHOD_RETURN, DBUS_MESSAGE_TYPE_ERROR: receiveReply(message)
        case DBUS_MESSAGE_TYPE_SIGNAL: subscriptions.receive(message, on: self)
        case DBUS_MESSAGE_TYPE_METHOD_CALL: receiveCall(message)
        default: break
        }
    }

    private func receiveCall(_ message: consuming Message) {
        guard let sender = message.sender, let path = message.path, let member = message.member else { return }
        let interface = message.interface
        let call = SharedMessage(message)
        let answer: (Result<[Value], BusError>) -> Void = { [weak self] result in
            guard let self, self.isOpen, call.message.expectsReply else { return }
            _ = self.transport.send(Message(answering: call.message, result))
        }
        server.receive(from: sender) { needsArguments in
            var arguments: [Value] = []
            if needsArguments {
                guard let read = try? Marshalling.values(of: call.message.raw, atMost: 1 << 20) else {
                    answer(.failure(.remote(name: BusError.limitsExceeded, message: "Too large")))
                    return nil
                }
                arguments = read
            }
            return Invocation(
                sender: sender, path: path, interface: interface, member: member, arguments: arguments,
                answer: answer)
        }
    }

    package var admits: ((_ sender: BusName) -> Admission)? {
        get { server.admits }
        set { server.admits = newValue }
    }

    package func release(_ sender: BusName, answering: Bool) { server.release(sender, answering: answering) }

    package var isDeaf: Bool {
        get { server.isDeaf }
        set { server.isDeaf = newValue }
    }

    // MARK: Following

    package func follow(_ service: BusName, handler: @escaping (ServiceEvent) -> Void) async throws(BusError) {
        try await subscriptions.follow(service, follower: .everything(handler), on: self)
    }

    package func followOwner(of service: BusName, _ handler: @escaping (BusName?) -> Void) async throws(BusError) {
        try await subscriptions.follow(service, follower: .owner(handler), on: self)
    }

    package func checkOwner(of service: BusName) async throws(BusError) {
        try await subscriptions.checkOwner(of: service, on: self)
    }

    package func listen(_ service: BusName, for matches: [SignalMatch]) async throws(BusError) {
        try await subscriptions.listen(service, for: matches, on: self)
    }

    package func ignore(_ service: BusName, matches: [SignalMatch]) {
        subscriptions.ignore(service, matches: matches, on: self)
    }

    // MARK: Own names and objects

    package func send(_ call: MethodCall) { _ = transport.send(Message(call), expectsReply: false) }

    package func emit(_ signal: Signal) { _ = transport.send(Message(signal), expectsReply: false) }

    package func export(_ object: ExportedObject) { server.export(object) }

    package func withdraw(_ path: ObjectPath) { server.withdraw(path) }

    package func own(_ name: BusName) async throws(BusError) -> Bool {
        let doNotQueue: UInt32 = 4
        let answer = try await daemon.call(BusDaemon.requestName, name.text, doNotQueue, within: .seconds(8))
        return answer == 1 || answer == 4
    }

    package func release(_ name: BusName) async throws(BusError) {
        _ = try await daemon.call(BusDaemon.releaseName, name.text, within: .seconds(8))
    }

    // MARK: The end

    package func close() {
        guard isOpen else { return }
        end()
    }

    private func lose() {
        guard isOpen else { return }
        end()
        onClose?()
    }

    private func end() {
        isOpen = false
        for sent in pending {
            guard let place = pending.firstIndex(where: { $0.serial == sent.serial }) else { continue }
            finish(pending.remove(at: place), result: .failure(.disconnected))
        }
        transport.close()
    }
}
