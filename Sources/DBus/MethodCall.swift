/// A method call, made once and sent as often as wanted: a bus keeps its own finished form of it here.
package final class MethodCall: Sendable {
    package let destination: BusName
    package let path: ObjectPath
    package let interface: InterfaceName
    package let member: MemberName
    package let arguments: [Value]
    /// How long to wait for the answer; every call has such a deadline.
    package let within: Duration
    package let options: Options

    /// The sending bus's finished message; touched only by that bus, on its run loop.
    nonisolated(unsafe) var prepared: AnyObject?

    package struct Options: Sendable {
        /// Whether the daemon may start the service when nobody owns the name.
        package var autoStart: Bool
        /// The most bytes of payload that we take as an answer.
        package var largestReply: Int
        /// Entries of a dictionary keyed by object paths are skipped undecoded where this says no.
        package var wants: (@Sendable (ObjectPath) -> Bool)?

        package init(
            autoStart: Bool = false, largestReply: Int = 1 << 20, wants: (@Sendable (ObjectPath) -> Bool)? = nil
        ) {
            self.autoStart = autoStart
            self.largestReply = largestReply
            self.wants = wants
        }

        /// What of an answer is wanted, on a bus that has it decoded already.
        func wanted(of answer: [Value]) -> [Value] {
            guard let wants, answer.count == 1, case .dictionary(let key, let value, let entries) = answer[0],
                key == ObjectPath.signature
            else { return answer }
            let wanted = entries.filter { if case .path(let path) = $0.key { wants(path) } else { true } }
            return [.dictionary(key: key, value: value, wanted)]
        }
    }

    package init(
        _ destination: BusName, _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName,
        _ arguments: [Value] = [], within: Duration, options: Options = Options()
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

/// A method call whose answer has a known type.
package struct TypedCall<Output: WireReply>: Sendable {
    package let call: MethodCall
}
