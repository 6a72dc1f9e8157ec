import DBus

/// The battery level of a remote device that bluetoothd itself read, at the device's path.
package enum Battery1: Interface {
    package static let name: InterfaceName = "org.bluez.Battery1"

    package static let percentage: Property<UInt8> = property("Percentage")

    package static let members: [any Member] = [percentage]
}
