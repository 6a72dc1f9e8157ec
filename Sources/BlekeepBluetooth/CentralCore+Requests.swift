import DBus
import RunLoop

/// What is asked of BlueZ besides a device's values.
extension CentralCore {
    /// - Throws: `disconnected` when bluetoothd has become another one, of which nothing is known yet: what was meant
    ///   for the one before would go on in it without anybody minding it.
    private func checkGeneration() throws(BusError) {
        guard mirror.isKnown else { throw .disconnected }
    }

    // MARK: Connections

    /// Connects a device; its services may be resolved later.
    ///
    /// - Parameter bearer: whether by Low Energy alone.
    package func connect(_ path: ObjectPath, within: Duration, byLowEnergy bearer: Bool = false) async throws(BusError)
    {
        try checkGeneration()
        let method = bearer ? BearerLE1.connect : Device1.connect
        _ = try await bus.object(Bluez.service, path).call(method, within: within)
        // The property is reported before the reply, or never: where the socket is up before the kernel reports it,
        // bluetoothd says `Device … is already connected` in its log and nothing on the bus.
        if hasDevice(path), !isConnected(path) { mirror.refresh() }
    }

    /// Ends a device's connection, whoever made it: whether it may be ended is decided by `OwnLinks` for users of a
    /// central, and by the keeper for its devices. Sent, not waited for: it takes 2 s.
    package func disconnect(_ path: ObjectPath) {
        bus.send(MethodCall(Bluez.service, path, Device1.name, Device1.disconnect.name, within: .zero))
        // BlueZ would answer what is in progress only when the connection is down.
        abandonCalls(to: path)
    }

    /// Lets every call in progress to a device, or to an object of its services, fail now: it is not waited for.
    package func abandonCalls(to path: ObjectPath) { bus.abandonCalls(below: path) }

    // MARK: Discovery

    /// - Parameter repeating: whether packets that say the same as the one before are of interest.
    package func startDiscovery(on adapter: ObjectPath, repeating: Bool = false) async throws(BusError) {
        try await Discovery(on: bus, adapter).start(repeating: repeating, check: checkGeneration)
    }

    package func stopDiscovery(on adapter: ObjectPath) async throws(BusError) {
        try await Discovery(on: bus, adapter).stop()
    }

    // MARK: Adapters and BlueZ itself

    package func switchAdapter(_ adapter: ObjectPath, on: Bool, within: Duration) async throws(BusError) {
        try await bus.object(Bluez.service, adapter).set(Adapter1.powered, to: on, within: within)
    }

    /// Sent, not waited for: there may be no time.
    package func switchOnAtOnce(_ adapter: ObjectPath) {
        bus.send(
            MethodCall(
                Bluez.service, adapter, PropertiesInterface.name, PropertiesInterface.set.name,
                [Adapter1.name.text.value, Adapter1.powered.name.text.value, Variant(true).value], within: .zero))
    }

    /// Removes a device, with its keys, from what BlueZ caches.
    package func remove(_ device: ObjectPath, within: Duration = .seconds(10)) async throws(BusError) {
        guard let adapter = device.parent else { throw .vanished }
        _ = try await bus.object(Bluez.service, adapter).call(Adapter1.removeDevice, device, within: within)
    }

    package func set<Content>(
        _ property: Property<Content>, of device: ObjectPath, to content: Content
    ) async throws(BusError) {
        try await bus.object(Bluez.service, device).set(property, to: content, within: .seconds(5))
    }

    /// Lets the message bus start bluetoothd where there is none.
    package func activate(within: Duration) async throws(BusError) {
        _ = try await bus.daemon.call(BusDaemon.startServiceByName, Bluez.service.text, 0, within: within)
    }

    /// Asks for a sign of life: every D-Bus service answers this, unless it is stuck.
    package func ping() async throws(BusError) {
        _ = try await bus.object(Bluez.service, .root).call(Peer.ping, within: .seconds(5))
    }

    /// Has systemd restart bluetoothd.
    package func restartBluez() async throws(BusError) {
        _ = try await bus.object(SystemdManager.service, SystemdManager.path).call(
            SystemdManager.restartUnit, "bluetooth.service", "replace", within: .seconds(30))
    }
}
