import DBus

/// The Low Energy side of a remote device, at the device's path. BlueZ has it since 5.84, with `--experimental`.
package enum BearerLE1: Interface {
    package static let name: InterfaceName = "org.bluez.Bearer.LE1"

    /// `Device1.Connect`, but never by classic Bluetooth.
    package static let connect: Method<Nothing> = method("Connect")

    package static let members: [any Member] = [connect]
}
