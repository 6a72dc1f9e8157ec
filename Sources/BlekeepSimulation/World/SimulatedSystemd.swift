import Blekeep
import DBus
import RunLoop

/// systemd as far as bluetoothd goes: it restarts the unit, where the one who asks may have that.
package final class SimulatedSystemd: @unchecked Sendable {
    /// When bluetoothd was restarted.
    package private(set) var restarts: [Uptime] = []
    /// How often somebody asked.
    package private(set) var requests = 0
    /// Whether polkit lets everybody do so.
    package var isPermissive = true
    private let world: World
    private let connect: @Sendable () async throws(BusError) -> any Bus
    private var bus: (any Bus)?

    /// - Parameter connect: gives systemd its own connection, each time it starts.
    package init(_ world: World, connect: @escaping @Sendable () async throws(BusError) -> any Bus) {
        self.world = world
        self.connect = connect
    }

    /// Is there, if it was not; as after a crash of the message bus.
    package func start() async throws(BusError) {
        guard bus == nil else { return }
        let bus = try await connect()
        self.bus = bus
        bus.onClose = { [weak self] in self?.bus = nil }
        let manager = ExportedInterface(SystemdManager.self)
        manager.handle(SystemdManager.restartUnit) { [unowned self] in self.restart($0) }
        bus.export(ExportedObject(SystemdManager.path, [manager]))
        try await bus.claim(SystemdManager.service)
    }

    private func restart(_ call: Invocation) {
        requests += 1
        guard let bus, call.arguments == ["bluetooth.service".value, "replace".value] else {
            return call.fail("org.freedesktop.systemd1.NoSuchUnit", "Unit not found.")
        }
        guard isPermissive else {
            return call.fail(
                "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", "Interactive authentication required.")
        }
        restarts.append(bus.loop.now)
        world.endBluez()
        world.restartBluez(after: .seconds(1))
        call.reply(ObjectPath(unchecked: "/org/freedesktop/systemd1/job/\(restarts.count)"))
    }
}
