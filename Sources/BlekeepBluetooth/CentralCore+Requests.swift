import DBus

/// The requests to BlueZ, other than those for a device's values.
extension CentralCore {
    /// Checks that a request goes to the bluetoothd that it was meant for.
    /// Throws `disconnected` after a restart of bluetoothd, until its objects are known.
    private func checkGeneration() throws(BusError) {
        guard mirror.isKnown else { throw .disconnected }
    }

    // MARK: Connections

    /// Connects a device. BlueZ may resolve its services later.
    ///
    /// - Parameter bearer: whether to use Low Energy only.
    package func connect(_ path: ObjectPath, within: Duration, byLowEnergy bearer: Bool = false) async throws(BusError)
    {
        try checkGeneration()
        let method = bearer ? BearerLE1.connect : Device1.connect
        _ = try await bus.object(Bluez.service, at: path).call(method, within: within)
        // BlueZ reports the property before the reply, or never: when the socket is up before the kernel reports it,
        // bluetoothd logs `Device … is already connected` and sends no signal.
        if hasDevice(path), !isConnected(path) { mirror.refresh() }
    }

    /// Ends a device's connection, without waiting for the 2 s that it takes. `OwnLinks` and the poller decide whether
    /// it may end.
    package func disconnect(_ path: ObjectPath) {
        bus.send(
            MethodCall(Bluez.service, at: path, interface: Device1.name, member: Device1.disconnect.name, within: .zero)
        )
        // BlueZ would answer calls in progress only when the connection is down.
        abandonCalls(to: path)
    }

    /// Queries BlueZ for those of these devices that are connected, and whose values no program is subscribed to.
    package func unusedLinks(to devices: [BluetoothAddress]) async -> [ObjectPath] {
        let found = await DevicePaths.query(on: bus) { BluetoothAddress(device: $0).map(devices.contains) ?? false }
        guard let objects = found else { return [] }
        let used = objects.filter { $0.value[GattCharacteristic1.name.text]?[GattCharacteristic1.notifying] == true }
        let inUse = Set(used.keys.compactMap { BluetoothAddress(device: $0) })
        let connected = objects.filter { $0.value[Device1.name.text]?[Device1.connected] == true }.keys.sorted()
        return connected.filter { BluetoothAddress(device: $0).map(inUse.contains) == false }
    }

    /// Makes all calls in progress to a device and its services fail now.
    package func abandonCalls(to path: ObjectPath) { bus.abandonCalls(below: path) }

    // MARK: Discovery

    /// Starts discovery.
    ///
    /// - Parameter repeating: whether BlueZ reports packets that repeat the previous one.
    /// - Returns: the part of the filter that BlueZ refuses.
    @discardableResult
    package func startDiscovery(
        on adapter: ObjectPath, repeating: Bool = false
    ) async throws(BusError) -> FilterRefusal? {
        let refused = filterRefusals[adapter]
        let refusal = try await Discovery(on: bus, adapter).start(
            repeating: repeating, without: refused, check: checkGeneration)
        filterRefusals[adapter] = refusal
        return refusal
    }

    package func stopDiscovery(on adapter: ObjectPath) async throws(BusError) {
        try await Discovery(on: bus, adapter).stop()
    }

    /// Asks BlueZ whether the adapter searches, because a signal may be lost.
    package func isDiscovering(on adapter: ObjectPath) async throws(BusError) -> Bool {
        try await bus.object(Bluez.service, at: adapter).get(Adapter1.discovering, within: .seconds(5))
    }

    // MARK: Adapters and BlueZ itself

    package func switchAdapter(_ adapter: ObjectPath, on: Bool, within: Duration) async throws(BusError) {
        try await bus.object(Bluez.service, at: adapter).set(Adapter1.powered, to: on, within: within)
    }

    /// Turns an adapter on without waiting for the reply, because there may be no time for that.
    package func switchOnAtOnce(_ adapter: ObjectPath) {
        bus.send(
            MethodCall(
                Bluez.service, at: adapter, interface: PropertiesInterface.name, member: PropertiesInterface.set.name,
                arguments: [Adapter1.name.text.value, Adapter1.powered.name.text.value, Variant(true).value],
                within: .zero))
    }

    /// Removes a device from BlueZ's cache, with its keys.
    package func remove(_ device: ObjectPath, within: Duration = .seconds(10)) async throws(BusError) {
        guard let adapter = device.parent else { throw .vanished }
        _ = try await bus.object(Bluez.service, at: adapter).call(Adapter1.removeDevice, device, within: within)
    }

    package func set<Content>(
        _ property: Property<Content>, of device: ObjectPath, to content: Content
    ) async throws(BusError) {
        try await bus.object(Bluez.service, at: device).set(property, to: content, within: .seconds(5))
    }

    /// Asks the message bus to start bluetoothd if it isn't running.
    package func activate(within: Duration) async throws(BusError) {
        _ = try await bus.daemon.call(BusDaemon.startServiceByName, Bluez.service.text, 0, within: within)
    }

    /// Checks that bluetoothd replies: every D-Bus service answers `Ping`, unless it hangs.
    package func ping() async throws(BusError) {
        _ = try await bus.object(Bluez.service, at: .root).call(Peer.ping, within: .seconds(5))
    }

    /// Asks systemd to restart bluetoothd.
    package func restartBluez() async throws(BusError) {
        _ = try await bus.object(SystemdManager.service, at: SystemdManager.path).call(
            SystemdManager.restartUnit, "bluetooth.service", "replace", within: .seconds(30))
    }
}
