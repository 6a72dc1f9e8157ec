import DBus

/// The service that BlueZ's bluetoothd owns.
package enum Bluez {
    package static let service: BusName = "org.bluez"
    package static let root: ObjectPath = "/org/bluez"
    /// Low Energy, in `PreferredBearer` and in discovery filters.
    package static let lowEnergy = "le"

    /// Returns the path of a device that BlueZ first heard with this address.
    static func path(of address: BluetoothAddress, on adapter: ObjectPath) -> ObjectPath {
        ObjectPath(unchecked: adapter.text + "/dev_" + address.joined(by: "_"))
    }

    /// The interfaces that an object keeps until it is removed. Others, such as Battery1, may come and go.
    static let lasting: Set<InterfaceName> = [
        Adapter1.name, Device1.name, GattService1.name, GattCharacteristic1.name, GattDescriptor1.name,
    ]

    /// The interfaces of BlueZ that blekeep uses.
    package static let interfaces: [any Interface.Type] = [
        Adapter1.self, AdvertisementMonitorManager1.self, AgentManager1.self, Battery1.self, BearerLE1.self,
        Device1.self, GattCharacteristic1.self, GattDescriptor1.self, GattService1.self, LEAdvertisingManager1.self,
    ]
}
