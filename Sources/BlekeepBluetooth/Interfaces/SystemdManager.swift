import DBus

/// systemd's manager of units, for the one thing that only it can do: start bluetoothd anew.
package enum SystemdManager: Interface {
    package static let service: BusName = "org.freedesktop.systemd1"
    package static let path: ObjectPath = "/org/freedesktop/systemd1"
    package static let name: InterfaceName = "org.freedesktop.systemd1.Manager"

    /// The unit and `replace`: gives the job, which is not waited for.
    package static let restartUnit: Method<ObjectPath, String, String> = method("RestartUnit")

    package static let members: [any Member] = [restartUnit]
}
