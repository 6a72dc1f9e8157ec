import DBus

/// systemd's manager of units, which restarts bluetoothd.
package enum SystemdManager: Interface {
    package static let service: BusName = "org.freedesktop.systemd1"
    package static let path: ObjectPath = "/org/freedesktop/systemd1"
    package static let name: InterfaceName = "org.freedesktop.systemd1.Manager"

    /// Takes the unit and `replace`, and returns the job.
    package static let restartUnit: Method<ObjectPath, String, String> = method("RestartUnit")

    package static let members: [any Member] = [restartUnit]
}
