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
    private let router = SignalRouter()
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
        pending.append(SentCall(queued, serial: serial, deadline: end, owner: router.owner(of: call.destination)))
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
        case DBUS_MESSAGE_TYPE_SIGNAL: receiveSignal(message)
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
        guard destination.isUnique || router.follows(destination) else { return true }
        return sender == .daemon || sender == destination || sender == router.owner(of: destination)
    }

    private func receiveSignal(_ message: borrowing Message) {
        guard let sender = message.sender, let path = message.path, let interface = message.interface,
            let member = message.member
        else { return }
        if sender == .daemon { return receiveFromDaemon(message, member) }
        for service in router.services(of: sender) where service.mayWant(path, interface, member) {
            guard let arguments = try? Marshalling.values(of: message.raw, atMost: 1 << 20) else { return }
            service.deliver(Signal(path, interface, member, arguments))
        }
    }

    private func receiveFromDaemon(_ message: borrowing Message, _ member: MemberName) {
        guard member == BusDaemon.nameOwnerChanged.name,
            let arguments = try? Marshalling.values(of: message.raw, atMost: 4096),
            arguments.count == 3, let name = String(arguments[0]), let owner = String(arguments[2])
        else { return }
        setOwner(of: BusName(unchecked: name), to: owner.isEmpty ? nil : BusName(unchecked: owner))
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
        try await follow(service, .everything(handler))
    }

    package func followOwner(of service: BusName, _ handler: @escaping (BusName?) -> Void) async throws(BusError) {
        try await follow(service, .owner(handler))
    }

    private func follow(_ service: BusName, _ follower: SignalRouter.Follower) async throws(BusError) {
        guard router.add(service, follower) else { return follower.hear(router.owner(of: service)) }
        var owner: BusName?
        do throws(BusError) {
            _ = try await daemon.call(BusDaemon.addMatch, Self.ownerRule(of: service), within: .seconds(8))
            owner = BusName(
                unchecked: try await daemon.call(BusDaemon.getNameOwner, service.text, within: .seconds(8)))
        } catch .remote(name: "org.freedesktop.DBus.Error.NameHasNoOwner", _) {
        } catch {
            router.removeFollowers(of: service)
            throw error
        }
        // A signal that came before we got to look at the answer is newer than the answer.
        if !router.knowsOwner(of: service) { setOwner(of: service, to: owner) }
    }

    private static func ownerRule(of service: BusName) -> String {
        "type='signal',sender='\(BusName.daemon)',interface='\(BusDaemon.name)',"
            + "member='\(BusDaemon.nameOwnerChanged.name)',arg0='\(service)'"
    }

    private func setOwner(of service: BusName, to owner: BusName?) {
        if router.setOwner(of: service, to: owner) { removeMatch(Self.ownerRule(of: service)) }
    }

    private func removeMatch(_ rule: String) {
        send(
            MethodCall(
                .daemon, BusDaemon.path, BusDaemon.name, BusDaemon.removeMatch.name, [.string(rule)], within: .zero))
    }

    /// The rules are sent at once and then awaited: what is called next already finds them in force.
    package func listen(_ service: BusName, for matches: [SignalMatch]) async throws(BusError) {
        let new = matches.filter { router.add($0, of: service) }
        var failure: BusError?
        for batch in stride(from: 0, to: new.count, by: 32) where failure == nil {
            let batch = new[batch..<min(batch + 32, new.count)]
            failure = await withTaskGroup(of: BusError?.self) { group in
                for match in batch { group.addTask { await self.addMatch(match.rule(sender: service)) } }
                return await group.reduce(nil) { $0 ?? $1 }
            }
        }
        guard let failure else { return }
        // To remove a rule that the daemon does not have does no harm.
        ignore(service, matches)
        throw failure
    }

    private func addMatch(_ rule: String) async -> BusError? {
        do throws(BusError) { _ = try await daemon.call(BusDaemon.addMatch, rule, within: .seconds(8)) } catch {
            return error
        }
        return nil
    }

    package func ignore(_ service: BusName, _ matches: [SignalMatch]) {
        for match in matches where router.remove(match, of: service) {
            removeMatch(match.rule(sender: service))
        }
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
