import Blekeep
import BlekeepSimulation
import DBus
import RunLoop

/// systemd, which restarts bluetoothd if the caller has permission.
package final class SimulatedSystemd: @unchecked Sendable {
    /// The times of restarts of bluetoothd.
    package private(set) var restarts: [Uptime] = []
    package private(set) var requests = 0
    /// Whether polkit allows the restart.
    package var isPermissive = true
    private let world: World
    private let connect: @Sendable () async throws(BusError) -> any Bus
    private var bus: (any Bus)?

    /// - Parameter connect: returns a new connection for each start of systemd.
    package init(_ world: World, connect: @escaping @Sendable () async throws(BusError) -> any Bus) {
        self.world = world
        self.connect = connect
    }

    /// Starts systemd if it isn't running, as after a crash of the message bus.
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
            return call.fail("org.freedesktop.systemd1.NoSuchUnit", message: "Unit not found.")
        }
        guard isPermissive else {
            return call.fail(
                "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired",
                message: "Interactive authentication required.")
        }
        restarts.append(bus.loop.now)
        world.endBluez()
        world.restartBluez(after: .seconds(1))
        call.reply(ObjectPath(unchecked: "/org/freedesktop/systemd1/job/\(restarts.count)"))
    }
}
