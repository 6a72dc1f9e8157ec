import DBus

/// The Low Energy side of a remote device, on the device's own path. BlueZ has it since 5.84, and only when started with
/// `--experimental`.
package enum BearerLE1: Interface {
    package static let name: InterfaceName = "org.bluez.Bearer.LE1"

    /// As `Device1.Connect`, but never by classic Bluetooth.
    package static let connect: Method<Nothing> = method("Connect")

    package static let members: [any Member] = [connect]
}
