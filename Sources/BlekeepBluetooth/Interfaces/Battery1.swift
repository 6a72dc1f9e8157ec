import DBus

/// The battery of a remote device, as bluetoothd itself read it: on the device's own path.
package enum Battery1: Interface {
    package static let name: InterfaceName = "org.bluez.Battery1"

    package static let percentage: Property<UInt8> = property("Percentage")

    package static let members: [any Member] = [percentage]
}
