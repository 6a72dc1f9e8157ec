internal import CDBus
import RunLoop

/// A connection to a real message bus, through libdbus, on the run loop's thread.
package final class LibdbusBus: Bus, @unchecked Sendable {
    package let loop: RunLoop
    package private(set) var name: BusName = ":0.0"
    package var onClose: (() -> Void)?

    private let transport: Transport
    private let subscriptions = Subscriptions()
    private let server = ObjectServer()
    private let calls: LibdbusCalls

    /// Connects to the bus at a D-Bus address. Returns at once when the task is cancelled.
    ///
    /// - Throws: `unreachable`, after at most 8 s.
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
        calls = LibdbusCalls(transport, subscriptions: subscriptions, on: loop)
        transport.onMessage = { [unowned self] in self.receive($0) }
        transport.onDisconnect = { [unowned self] in self.lose() }
        transport.attach()
    }

    // MARK: Calls

    package func call(_ call: MethodCall) async throws(BusError) -> [Value] {
        let result = await withUnsafeContinuation { calls.send(PendingCalls.Queued(call: call, continuation: $0)) }
        return try result.get()
    }

    private var isOpen: Bool { calls.isOpen }

    package func abandonCalls(below path: ObjectPath) { calls.abandon(below: path) }

    package var onPressure: ((ReplyPressure) -> Void)? {
        get { calls.onPressure }
        set { calls.onPressure = newValue }
    }

    // MARK: Incoming messages

    private func receive(_ message: consuming Message) {
        switch message.type {
        case DBUS_MESSAGE_TYPE_METHOD_RETURN, DBUS_MESSAGE_TYPE_ERROR: calls.receiveReply(message)
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
        calls.end()
        transport.close()
    }
}
