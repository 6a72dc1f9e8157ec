import DBus

/// The service that BlueZ's bluetoothd owns.
package enum Bluez {
    package static let service: BusName = "org.bluez"
    package static let root: ObjectPath = "/org/bluez"
    /// The word for Low Energy in `PreferredBearer` and in discovery filters.
    package static let lowEnergy = "le"

    /// Where BlueZ has a device that it first met under this address.
    static func path(of address: BluetoothAddress, on adapter: ObjectPath) -> ObjectPath {
        ObjectPath(unchecked: adapter.text + "/dev_" + address.joined(by: "_"))
    }

    /// The interfaces that an object loses only when it goes. Others come and go on it, such as Battery1.
    static let lasting: Set<InterfaceName> = [
        Adapter1.name, Device1.name, GattService1.name, GattCharacteristic1.name, GattDescriptor1.name,
    ]

    /// Every interface of BlueZ that is called or watched.
    package static let interfaces: [any Interface.Type] = [
        Adapter1.self, AdvertisementMonitorManager1.self, AgentManager1.self, Battery1.self, BearerLE1.self,
        Device1.self,
        GattCharacteristic1.self,
        GattDescriptor1.self, GattService1.self,
    ]
}
