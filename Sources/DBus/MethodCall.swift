/// A method call, which can be sent many times. A bus stores the finished message in it.
package final class MethodCall: Sendable {
    package let destination: BusName
    package let path: ObjectPath
    package let interface: InterfaceName
    package let member: MemberName
    package let arguments: [Value]
    /// The longest time to wait for the reply.
    package let within: Duration
    package let options: Options

    /// The finished message of the bus. Only the bus uses it, on its run loop.
    nonisolated(unsafe) var prepared: AnyObject?

    package struct Options: Sendable {
        /// Whether the daemon may start a service that isn't running.
        package var autoStart: Bool
        /// The largest accepted reply, in bytes of arguments.
        package var largestReply: Int
        /// Returns whether to decode an entry of a dictionary with object paths as keys. Others are skipped.
        package var wants: (@Sendable (ObjectPath) -> Bool)?

        package init(
            autoStart: Bool = false, largestReply: Int = 1 << 20, wants: (@Sendable (ObjectPath) -> Bool)? = nil
        ) {
            self.autoStart = autoStart
            self.largestReply = largestReply
            self.wants = wants
        }

        /// Returns the wanted entries of a reply that is already decoded.
        func wanted(of answer: [Value]) -> [Value] {
            guard let wants, answer.count == 1, case .dictionary(let key, let value, let entries) = answer[0],
                key == ObjectPath.signature
            else { return answer }
            let wanted = entries.filter { if case .path(let path) = $0.key { wants(path) } else { true } }
            return [.dictionary(key: key, value: value, wanted)]
        }
    }

    package init(
        _ destination: BusName, at path: ObjectPath, interface: InterfaceName, member: MemberName,
        arguments: [Value] = [], within: Duration, options: Options = Options()
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
        self.within = within
        self.options = options
    }
}

/// A method call with a reply of a known type.
package struct TypedCall<Output: WireReply>: Sendable {
    package let call: MethodCall
}
