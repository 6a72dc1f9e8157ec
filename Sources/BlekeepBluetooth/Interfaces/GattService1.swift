import DBus

/// A service of a remote device.
package enum GattService1: Interface {
    package static let name: InterfaceName = "org.bluez.GattService1"

    package static let uuid: Property<String> = property("UUID")
    package static let device: Property<ObjectPath> = property("Device")
    package static let primary: Property<Bool> = property("Primary")
    package static let includes: Property<[ObjectPath]> = property("Includes")

    package static let members: [any Member] = [uuid, device, primary, includes]
}
