import DBus

package enum AgentManager1: Interface {
    package static let name: InterfaceName = "org.bluez.AgentManager1"

    package static let registerAgent: Method<Nothing, ObjectPath, String> = method("RegisterAgent")
    package static let unregisterAgent: Method<Nothing, ObjectPath> = method("UnregisterAgent")
    package static let requestDefaultAgent: Method<Nothing, ObjectPath> = method("RequestDefaultAgent")

    package static let members: [any Member] = [registerAgent, unregisterAgent, requestDefaultAgent]
}
