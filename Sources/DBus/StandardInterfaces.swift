package enum BusDaemon: Interface {
    package static let name: InterfaceName = "org.freedesktop.DBus"
    package static let path: ObjectPath = "/org/freedesktop/DBus"
    package static let addMatch: Method<Nothing, String> = method("AddMatch")
    package static let removeMatch: Method<Nothing, String> = method("RemoveMatch")
    package static let getNameOwner: Method<String, String> = method("GetNameOwner")
    package static let requestName: Method<UInt32, String, UInt32> = method("RequestName")
    package static let releaseName: Method<UInt32, String> = method("ReleaseName")
    package static let getConnectionUnixUser: Method<UInt32, String> = method("GetConnectionUnixUser")
    package static let startServiceByName: Method<UInt32, String, UInt32> = method("StartServiceByName")
    package static let nameOwnerChanged: SignalMember<String, String, String> = signal("NameOwnerChanged")

    package static let members: [any Member] = [
        addMatch, removeMatch, getNameOwner, requestName, releaseName, getConnectionUnixUser, startServiceByName,
        nameOwnerChanged,
    ]
}

package enum PropertiesInterface: Interface {
    package static let name: InterfaceName = "org.freedesktop.DBus.Properties"
    package static let get: Method<Variant, String, String> = method("Get")
    package static let getAll: Method<Properties, String> = method("GetAll")
    package static let set: Method<Nothing, String, String, Variant> = method("Set")
    package static let propertiesChanged: SignalMember<String, Properties, [String]> = signal("PropertiesChanged")

    package static let members: [any Member] = [get, getAll, set, propertiesChanged]
}

package enum ObjectManager: Interface {
    package static let name: InterfaceName = "org.freedesktop.DBus.ObjectManager"
    package static let getManagedObjects: Method<ManagedObjects> = method("GetManagedObjects")
    package static let interfacesAdded: SignalMember<ObjectPath, ManagedObject> = signal("InterfacesAdded")
    package static let interfacesRemoved: SignalMember<ObjectPath, [String]> = signal("InterfacesRemoved")

    package static let members: [any Member] = [getManagedObjects, interfacesAdded, interfacesRemoved]
}

package enum Introspectable: Interface {
    package static let name: InterfaceName = "org.freedesktop.DBus.Introspectable"
    package static let introspect: Method<String> = method("Introspect")

    package static let members: [any Member] = [introspect]
}

package enum Peer: Interface {
    package static let name: InterfaceName = "org.freedesktop.DBus.Peer"
    package static let ping: Method<Nothing> = method("Ping")

    package static let members: [any Member] = [ping]
}
