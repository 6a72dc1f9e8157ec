/// A signal, received or to send. A class, so that passing it copies nothing.
package final class Signal: Sendable {
    package let path: ObjectPath
    package let interface: InterfaceName
    package let member: MemberName
    package let arguments: [Value]

    package init(_ path: ObjectPath, interface: InterfaceName, member: MemberName, arguments: [Value]) {
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }
}

/// A filter for signals of a service. A narrow filter lets the daemon do the work.
package struct SignalMatch: Sendable, Hashable {
    package var path: ObjectPath?
    package var interface: InterfaceName
    package var member: MemberName?
    /// The first argument; `nil` for any.
    package var argument: String?

    package init(
        path: ObjectPath? = nil, interface: InterfaceName, member: MemberName? = nil, argument: String? = nil
    ) {
        self.path = path
        self.interface = interface
        self.member = member
        self.argument = argument
    }

    /// Returns a filter for property changes of one object, on any interface.
    package static func properties(at path: ObjectPath) -> SignalMatch {
        SignalMatch(path: path, interface: PropertiesInterface.name, member: PropertiesInterface.propertiesChanged.name)
    }

    /// Returns a filter for property changes of one interface, of one object or of all.
    package static func properties(of interface: InterfaceName, at path: ObjectPath? = nil) -> SignalMatch {
        SignalMatch(
            path: path, interface: PropertiesInterface.name, member: PropertiesInterface.propertiesChanged.name,
            argument: interface.text)
    }

    /// The match rule for the daemon.
    func rule(sender: BusName) -> String {
        var rule = "type='signal',sender='\(sender)',interface='\(interface)'"
        if let member { rule += ",member='\(member)'" }
        if let path { rule += ",path='\(path)'" }
        if let argument { rule += ",arg0='\(argument)'" }
        return rule
    }

    func accepts(_ signal: Signal) -> Bool {
        guard interface == signal.interface, member == nil || member == signal.member,
            path == nil || path == signal.path
        else { return false }
        guard let argument else { return true }
        guard case .string(let first) = signal.arguments.first else { return false }
        return first == argument
    }
}

/// An event of a followed service. Events come in order.
package enum ServiceEvent: Sendable {
    /// The new owner of the service's name; `nil` without one. Also sent once at the start.
    case owner(BusName?)
    /// A signal of the owner. Signals of other connections are ignored.
    case signal(Signal)
}
