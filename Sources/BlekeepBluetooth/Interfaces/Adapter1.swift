import DBus

package enum Adapter1: Interface {
    package static let name: InterfaceName = "org.bluez.Adapter1"

    package static let startDiscovery: Method<Nothing> = method("StartDiscovery")
    package static let stopDiscovery: Method<Nothing> = method("StopDiscovery")
    package static let setDiscoveryFilter: Method<Nothing, Properties> = method("SetDiscoveryFilter")
    package static let removeDevice: Method<Nothing, ObjectPath> = method("RemoveDevice")

    package static let address: Property<String> = property("Address")
    package static let addressType: Property<String> = property("AddressType")
    package static let systemName: Property<String> = property("Name")
    package static let alias: Property<String> = property("Alias", access: .readwrite)
    package static let powered: Property<Bool> = property("Powered", access: .readwrite)
    package static let discoverable: Property<Bool> = property("Discoverable", access: .readwrite)
    package static let pairable: Property<Bool> = property("Pairable", access: .readwrite)
    package static let discovering: Property<Bool> = property("Discovering")
    package static let uuids: Property<[String]> = property("UUIDs")

    package static let members: [any Member] = [
        startDiscovery, stopDiscovery, setDiscoveryFilter, removeDevice,
        address, addressType, systemName, alias, powered, discoverable, pairable, discovering, uuids,
    ]
}

extension ObjectTree {
    /// Returns an adapter's own address. An adapter that failed to start has none, or only zeros.
    package func adapterAddress(_ adapter: ObjectPath) -> BluetoothAddress? {
        self[adapter, Adapter1.address].flatMap { BluetoothAddress($0) }
    }
}
