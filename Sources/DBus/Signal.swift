/// A signal as it came, or as it is to be sent: made once, and then handed from one to the next.
package final class Signal: Sendable {
    package let path: ObjectPath
    package let interface: InterfaceName
    package let member: MemberName
    package let arguments: [Value]

    package init(_ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [Value]) {
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }
}

/// Which signals of a service we want: as narrow as can be, so that the daemon filters and not we.
package struct SignalMatch: Sendable, Hashable {
    package var path: ObjectPath?
    package var interface: InterfaceName
    package var member: MemberName?
    /// The first argument, when it is this string.
    package var argument: String?

    package init(
        path: ObjectPath? = nil, interface: InterfaceName, member: MemberName? = nil, argument: String? = nil
    ) {
        self.path = path
        self.interface = interface
        self.member = member
        self.argument = argument
    }

    /// Changes of the properties of one object, whichever of its interfaces has them.
    package static func properties(at path: ObjectPath) -> SignalMatch {
        SignalMatch(
            path: path, interface: PropertiesInterface.name, member: PropertiesInterface.propertiesChanged.name)
    }

    /// Changes of the properties of one interface, of one object or of all.
    package static func properties(of interface: InterfaceName, at path: ObjectPath? = nil) -> SignalMatch {
        SignalMatch(
            path: path, interface: PropertiesInterface.name, member: PropertiesInterface.propertiesChanged.name,
            argument: interface.text)
    }

    /// The rule in the daemon's language.
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

/// What happens at a service that we follow, in the order in which it happened.
package enum ServiceEvent: Sendable {
    /// Who owns the service's name from now on; `nil` when nobody does. Comes once at the start, too.
    case owner(BusName?)
    /// A signal of the owner. Signals of anybody else never come here.
    case signal(Signal)
}
