import RunLoop

/// One connection to a message bus. It can't reconnect.
///
/// Use it only on its run loop. When the connection is lost, every waiting call throws `disconnected`, and `onClose` is
/// called once. Then create a new one.
package protocol Bus: AnyObject, Sendable {
    var loop: RunLoop { get }
    /// The unique name of this connection.
    var name: BusName { get }
    /// Called once when the connection is lost, but not after `close()`.
    var onClose: (() -> Void)? { get set }
    /// Called when unanswered calls use many of the connection's slots at the bus daemon.
    var onPressure: ((ReplyPressure) -> Void)? { get set }
    /// Returns what to do with a call of this sender to this program's objects; `nil` to answer all calls.
    var admits: ((_ sender: BusName) -> Admission)? { get set }
    /// Takes the calls of a sender again that waited, or forgets them.
    func release(_ sender: BusName, answering: Bool)
    /// Whether calls to this program's objects wait, as if it hung.
    var isDeaf: Bool { get set }

    /// Sends a call, and waits for the reply until the call's deadline. At most 64 calls are in progress; others wait.
    func call(_ call: MethodCall) async throws(BusError) -> [Value]
    /// Sends a call without waiting for its reply.
    func send(_ call: MethodCall)
    /// Fails all pending calls at or below `path` with `vanished`, because the service won't reply.
    func abandonCalls(below path: ObjectPath)

    /// Follows a service: its owner, and the signals that `listen` asks for.
    func follow(_ service: BusName, handler: @escaping (ServiceEvent) -> Void) async throws(BusError)
    /// Follows only the owner of a service, without its signals.
    func followOwner(of service: BusName, _ handler: @escaping (BusName?) -> Void) async throws(BusError)
    /// Queries the owner of a followed service again, because a signal may have been missed.
    func checkOwner(of service: BusName) async throws(BusError)
    /// Asks for more signals of a followed service. Throws the first refusal. Then none of `matches` applies.
    func listen(_ service: BusName, for matches: [SignalMatch]) async throws(BusError)
    /// Stops asking for these signals.
    func ignore(_ service: BusName, matches: [SignalMatch])

    func emit(_ signal: Signal)
    /// Makes `object` answer calls at its path.
    func export(_ object: ExportedObject)
    func withdraw(_ path: ObjectPath)
    /// Takes a well-known name. Returns `false` when another connection has it.
    func own(_ name: BusName) async throws(BusError) -> Bool
    func release(_ name: BusName) async throws(BusError)
    func close()
}

extension Bus {
    package func call<Output: WireReply>(_ typed: TypedCall<Output>) async throws(BusError) -> Output {
        let values = try await call(typed.call)
        guard let output = Output(reply: values) else {
            throw .malformed(
                "\(typed.call.interface).\(typed.call.member) answered with "
                    + "'\(values.map(\.signature.text).joined())'")
        }
        return output
    }

    /// Calls a method that returns bytes. A fast path, because most calls are reads.
    package func call(_ typed: TypedCall<[UInt8]>) async throws(BusError) -> [UInt8] {
        let values = try await call(typed.call)
        guard values.count == 1, case .bytes(let bytes) = values[0] else {
            throw .malformed("\(typed.call.member) answered with '\(values.map(\.signature.text).joined())'")
        }
        return bytes
    }

    package func object(_ service: BusName, at path: ObjectPath) -> RemoteObject {
        RemoteObject(bus: self, service: service, path: path)
    }

    package var daemon: RemoteObject { object(.daemon, at: BusDaemon.path) }
}

/// The most calls in progress on a connection. A system bus refuses the 129th.
package let maxCallsInFlight = 64

/// An object of another program.
package struct RemoteObject: Sendable {
    package let bus: any Bus
    package let service: BusName
    package let path: ObjectPath

    package func call<Output: WireReply, each Input: WireType>(
        _ method: Method<Output, repeat each Input>, _ input: repeat each Input, within: Duration,
        options: MethodCall.Options = .init()
    ) async throws(BusError) -> Output {
        try await bus.call(prepare(method, repeat each input, within: within, options: options))
    }

    /// Returns a call that can be sent more than once.
    package func prepare<Output: WireReply, each Input: WireType>(
        _ method: Method<Output, repeat each Input>, _ input: repeat each Input, within: Duration,
        options: MethodCall.Options = .init()
    ) -> TypedCall<Output> {
        var arguments: [Value] = []
        repeat arguments.append((each input).value)
        return TypedCall(
            call: MethodCall(
                service, at: path, interface: method.interface, member: method.name, arguments: arguments,
                within: within, options: options))
    }

    package func get<Content>(_ property: Property<Content>, within: Duration) async throws(BusError) -> Content {
        let variant = try await call(
            PropertiesInterface.get, property.interface.text, property.name.text, within: within)
        guard let content = Content(variant.content) else {
            throw .malformed(
                "property \(property.interface).\(property.name) has the type '\(variant.content.signature)'")
        }
        return content
    }

    package func set<Content>(
        _ property: Property<Content>, to content: Content, within: Duration
    ) async throws(BusError) {
        _ = try await call(
            PropertiesInterface.set, property.interface.text, property.name.text, Variant(content), within: within)
    }
}
