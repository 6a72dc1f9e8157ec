internal import CDBus
import RunLoop

/// A connection to a real message bus, through libdbus, on the run loop's thread.
///
/// Replies are matched by serial in a table of our own: libdbus's pending calls cost as much again as the call.
package final class LibdbusBus: Bus, @unchecked Sendable {
    package let loop: RunLoop
    package private(set) var name: BusName = ":0.0"
    package var onClose: (() -> Void)?
    package var onPressure: ((ReplyPressure) -> Void)?

    private let transport: Transport
    private let subscriptions = Subscriptions()
    private let server = ObjectServer()
    private var pending = PendingCalls()
    /// Fires at the earliest deadline of the pending calls, or before it: calls come and go more often than it is armed.
    private let deadline = DeadlineTimer()
    private var slots = ReplySlots()
    private var isOpen = true

    /// Connects to the bus at a D-Bus address; ends at once when the task is cancelled.
    ///
    /// - Throws: `unreachable` with a sentence that says why; within 8 s in any case.
    package static func connect(to address: String, on loop: RunLoop) async throws(BusError) -> LibdbusBus {
        let deadline = loop.now + .seconds(8)
        let connection = try await ConnectionOpening.open(address, within: deadline - loop.now, on: loop)
        let bus = LibdbusBus(Transport(connection, loop: loop), loop)
        let hello = MethodCall(.daemon, BusDaemon.path, BusDaemon.name, "Hello", within: deadline - loop.now)
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
            throw .unreachable("the message bus at \(address) did not let us in: \(error)")
        }
    }

    private init(_ transport: Transport, _ loop: RunLoop) {
        self.transport = transport
        self.loop = loop
        transport.onMessage = { [unowned self] in self.receive($0) }
        transport.onDisconnect = { [unowned self] in self.lose() }
        transport.attach()
        deadline.bus = self
    }

    // MARK: Calls

    package func call(_ call: MethodCall) async throws(BusError) -> [Value] {
        let result = await withUnsafeContinuation { send(PendingCalls.Queued(call: call, continuation: $0)) }
        return try result.get()
    }

    private func send(_ queued: PendingCalls.Queued) {
        guard isOpen else { return queued.continuation.resume(returning: .failure(.disconnected)) }
        // Asked here and not before the await: what runs in between may send calls, too.
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

    /// A copy of the finished message: a fraction of the cost of building it.
    private func prepared(_ call: MethodCall) -> Message? {
        if let finished = call.prepared as? SharedMessage { return finished.message.copy() }
        guard let message = Message(call) else { return nil }
        let copy = message.copy()
        call.prepared = SharedMessage(message)
        return copy
    }

    /// Gives a call that waits no more its result.
    private func finish(_ sent: SentCall, _ result: Result<[Value], BusError>) {
        sent.finish(result)
        while let next = pending.next() { send(next) }
        if pending.isEmpty { loop.disarm(deadline) }
    }

    /// Stops waiting for a reply; the daemon does not.
    private func giveUp(_ serial: UInt32, _ error: BusError) {
        guard let sent = pending.remove(serial) else { return }
        if sent.call.destination != .daemon, let pressure = slots.abandon(serial) { onPressure?(pressure) }
        finish(sent, .failure(error))
    }

    fileprivate func endOverdueCalls() {
        let now = loop.now
        for sent in pending.sent where sent.deadline <= now { giveUp(sent.serial, .timedOut) }
        if !pending.isEmpty { loop.arm(deadline, at: pending.deadline) }
    }

    package func abandonCalls(below path: ObjectPath) {
        for queued in pending.removeQueued(below: path) { queued.continuation.resume(returning: .failure(.vanished)) }
        for sent in pending.sent where sent.call.path.isAt(orBelow: path) { giveUp(sent.serial, .vanished) }
    }

    // MARK: Messages in

    private func receive(_ message: consuming Message) {
        switch message.type {
        case DBUS_MESSAGE_TYPE_METHOD_RETURN, DBUS_MESSAGE_TYPE_ERROR: receiveReply(message)
        case DBUS_MESSAGE_TYPE_SIGNAL: subscriptions.receive(message, on: self)
        case DBUS_MESSAGE_TYPE_METHOD_CALL: receiveCall(message)
        default: break
        }
    }

    private func receiveReply(_ message: borrowing Message) {
        let serial = message.replySerial
        guard let sent = pending.remove(serial) else { return slots.free(serial) }
        guard mayAnswer(message, sent) else { return pending.putBack(sent) }
        if let error = message.error {
            // Before the caller learns of it: a new connection lets it try again.
            if error.isLimitExceeded, message.sender == .daemon, sent.call.destination != .daemon {
                onPressure?(.critical)
            }
            return finish(sent, .failure(error))
        }
        let options = sent.call.options
        let result: Result<[Value], BusError>
        do throws(BusError) {
            result = .success(
                try Marshalling.values(of: message.raw, atMost: options.largestReply, wants: options.wants))
        } catch { result = .failure(error) }
        finish(sent, result)
    }

    /// A reply counts when it comes from whom we asked, or from the daemon in its stead.
    private func mayAnswer(_ message: borrowing Message, _ sent: SentCall) -> Bool {
        let destination = sent.call.destination
        guard let sender = message.sender, sender != sent.owner else { return true }
        guard destination.isUnique || subscriptions.follows(destination) else { return true }
        return sender == .daemon || sender == destination || sender == subscriptions.owner(of: destination)
    }

    private func receiveCall(_ message: consuming Message) {
        guard let sender = message.sender, let path = message.path, let member = message.member else { return }
        let interface = message.interface
        let call = SharedMessage(message)
        let answer: (Result<[Value], BusError>) -> Void = { [weak self] result in
            guard let self, self.isOpen, call.message.expectsReply else { return }
            _ = self.transport.send(Message(answering: call.message, result))
        }
        guard let arguments = try? Marshalling.values(of: call.message.raw, atMost: 1 << 20) else {
            return answer(
                .failure(.remote(name: "org.freedesktop.DBus.Error.LimitsExceeded", message: "Too large")))
        }
        server.handle(
            Invocation(
                sender: sender, path: path, interface: interface, member: member, arguments: arguments,
                answer: answer))
    }

    package var isDeaf: Bool {
        get { server.isDeaf }
        set { server.isDeaf = newValue }
    }

    // MARK: Following

    package func follow(_ service: BusName, _ handler: @escaping (ServiceEvent) -> Void) async throws(BusError) {
        try await subscriptions.follow(service, .everything(handler), on: self)
    }

    package func followOwner(of service: BusName, _ handler: @escaping (BusName?) -> Void) async throws(BusError) {
        try await subscriptions.follow(service, .owner(handler), on: self)
    }

    package func listen(_ service: BusName, for matches: [SignalMatch]) async throws(BusError) {
        try await subscriptions.listen(service, for: matches, on: self)
    }

    package func ignore(_ service: BusName, _ matches: [SignalMatch]) {
        subscriptions.ignore(service, matches, on: self)
    }

    // MARK: Our own side

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
        transport.close()
        for sent in pending.sent {
            if pending.remove(sent.serial) != nil { finish(sent, .failure(.disconnected)) }
        }
    }
}

private final class DeadlineTimer: LoopTimer {
    weak var bus: LibdbusBus?

    override func fire() { bus?.endOverdueCalls() }
}
