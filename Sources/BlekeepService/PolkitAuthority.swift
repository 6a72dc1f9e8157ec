import DBus

/// polkit, which decides who may control the poller. Only the member that blekeep calls.
package enum PolkitAuthority: Interface {
    package static let name: InterfaceName = "org.freedesktop.PolicyKit1.Authority"
    package static let service: BusName = "org.freedesktop.PolicyKit1"
    package static let path: ObjectPath = "/org/freedesktop/PolicyKit1/Authority"

    package static let checkAuthorization:
        Method<PolkitResult, PolkitSubject, String, [String: String], UInt32, String> = method("CheckAuthorization")

    package static let members: [any Member] = [checkAuthorization]
}

/// A connection to the bus, as polkit takes it.
package struct PolkitSubject: WireType {
    let sender: BusName

    package static let signature: Signature = "(sa{sv})"

    init(_ sender: BusName) { self.sender = sender }

    package init?(_ value: Value) {
        guard case .structure(let members) = value, members.count == 2, members[0] == .string("system-bus-name"),
            case .string(let name)? = Properties(members[1])?["name"]?.content, let sender = BusName(name)
        else { return nil }
        self.sender = sender
    }

    package var value: Value {
        let details: Properties = ["name": Variant(sender.text)]
        return .structure([.string("system-bus-name"), details.value])
    }
}

/// polkit's decision.
package struct PolkitResult: WireType {
    let isAuthorized: Bool

    package static let signature: Signature = "(bba{ss})"

    package init?(_ value: Value) {
        guard case .structure(let members) = value, members.count == 3, case .boolean(let isAuthorized) = members[0]
        else { return nil }
        self.isAuthorized = isAuthorized
    }

    package var value: Value {
        .structure([.boolean(isAuthorized), .boolean(false), [String: String]().value])
    }
}
