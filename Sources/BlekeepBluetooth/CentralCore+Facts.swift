import DBus
import RunLoop

/// The state of BlueZ's objects.
extension CentralCore {
    /// All adapters, also those that failed to start.
    package var adapters: [AdapterFacts] {
        let tree = mirror.tree
        return tree.paths(with: Adapter1.name).map { path in
            var facts = AdapterFacts(at: path, in: tree)
            facts.externalLinks = watched?.external.links(on: path, in: tree) ?? 0
            return facts
        }
    }

    /// Returns the adapter to use. Throws `noAdapter` or `adapterOff`.
    func adapter() throws(BluetoothError) -> ObjectPath {
        let all = adapters
        let chosen = all.filter { choice.matches($0.path.name, address: $0.address) }
        guard let found = chosen.first(where: \.isPowered) ?? chosen.first else {
            throw .noAdapter(choice, among: all.map { String($0.path.name) })
        }
        guard found.isPowered else { throw problem(of: found.path) }
        return found.path
    }

    var adapterState: Central.AdapterState {
        guard !isOver, mirror.isKnown else { return .noBluez }
        let chosen = adapters.filter { choice.matches($0.path.name, address: $0.address) }
        return chosen.isEmpty ? .noAdapter : chosen.contains(where: \.isPowered) ? .poweredOn : .poweredOff
    }

    func isOn(_ adapter: ObjectPath) -> Bool { mirror.tree[adapter, Adapter1.powered] == true }

    /// Returns the error for an adapter that isn't on.
    func problem(of adapter: ObjectPath) -> BluetoothError {
        guard hasAdapter(adapter) else { return BluetoothError(.noAdapter, "the adapter \(adapter.name) is gone") }
        return BluetoothError(
            .adapterOff, "the adapter \(adapter.name) is off; turn it on with 'bluetoothctl power on'")
    }

    /// Whether the client is open and the adapter still exists.
    package func hasAdapter(_ path: ObjectPath) -> Bool { !isClosed && mirror.tree.has(Adapter1.name, at: path) }

    /// Whether the machine has several adapters.
    package var hasSeveralAdapters: Bool { mirror.tree.paths(with: Adapter1.name).count > 1 }

    /// The state of the watched devices that BlueZ has, on each adapter that knows them.
    package var watchedFacts: [DeviceNumber: [DeviceFacts]] {
        guard let watched else { return [:] }
        let known = watched.indices.map { (watched.number(of: $0), facts(of: $0)) }
        return Dictionary(uniqueKeysWithValues: known.filter { !$0.1.isEmpty })
    }

    /// Returns the state of a watched device on each adapter that knows it.
    func facts(of index: Int) -> [DeviceFacts] { watched?.facts(of: index, in: mirror.tree) ?? [] }

    func hasDevice(_ path: ObjectPath) -> Bool { mirror.tree.has(Device1.name, at: path) }

    func isConnected(_ path: ObjectPath) -> Bool { mirror.tree[path, Device1.connected] == true }

    /// Whether a program is subscribed to a characteristic of a device.
    package func isSubscribed(_ device: ObjectPath) -> Bool {
        GattTree(of: device, in: mirror.tree).characteristics.contains {
            mirror.tree[$0.path, GattCharacteristic1.notifying] == true
        }
    }

    /// Returns the signal strength in dBm of the last advertisement that BlueZ heard.
    package func rssi(of device: ObjectPath) -> Int? { mirror.tree[device, Device1.rssi].map { Int($0) } }

    /// Finds the object of a device by the address in its path, or else by its property `Address`. A paired device with
    /// private addresses keeps the path of the address that BlueZ heard first.
    func path(of address: BluetoothAddress, on adapter: ObjectPath) -> ObjectPath {
        let usual = Bluez.path(of: address, on: adapter)
        if hasDevice(usual) { return usual }
        let other = mirror.tree.paths(with: Device1.name).first { path in
            path.parent == adapter && mirror.tree[path, Device1.address].flatMap { BluetoothAddress($0) } == address
        }
        return other ?? usual
    }

    /// Follows watched devices whose paths have another address, until the client is closed.
    package func followAliases() async {
        guard let watched else { return }
        while true {
            await watched.missing.wait()
            if isClosed { return }
            guard watched.indices.contains(where: { facts(of: $0).isEmpty }) else { continue }
            if await watched.searchAliases() { mirror.refresh() }
        }
    }

    /// Counts the connections to unwatched devices again.
    package func countExternalLinks() async {
        if await watched?.external.count() == true { mirror.refresh() }
    }
}
