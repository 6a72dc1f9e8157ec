import RunLoop

/// The system's message bus.
package enum SystemBus {
    /// As the environment names it, or at its usual place.
    package static var address: String {
        environmentVariable("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/run/dbus/system_bus_socket"
    }
}
