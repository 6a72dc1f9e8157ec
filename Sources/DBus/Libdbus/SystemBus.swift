import RunLoop

/// The system's message bus.
package enum SystemBus {
    /// The address in the environment, or the usual one.
    package static var address: String {
        environmentVariable("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/run/dbus/system_bus_socket"
    }
}
