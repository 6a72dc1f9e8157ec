import DBus

/// What BlueZ's objects say.
extension CentralCore {
    /// All adapters, also those that have failed to start.
    package var adapters: [AdapterFacts] {
        let tree = mirror.tree
        return tree.paths(with: Adapter1.name).map { path in
            var facts = AdapterFacts(at: path, in: tree)
            facts.foreignLinks = watched?.foreignLinks(on: path, in: tree) ?? 0
            return facts
        }
    }

    /// The adapter to use.
    func adapter() throws(BluetoothError) -> ObjectPath {
        let all = adapters
        let chosen = all.filter { choice.takes($0.path.name, $0.address) }
        guard let found = chosen.first(where: \.isPowered) ?? chosen.first else {
            let what = choice.map { "no Bluetooth adapter \($0)" } ?? "no Bluetooth adapter"
            let others = all.isEmpty ? "" : "; there is \(all.map { String($0.path.name) }.joined(separator: ", "))"
            throw BluetoothError(.noAdapter, "there is \(what)\(others)")
        }
        guard found.isPowered else {
            throw BluetoothError(
                .adapterOff, "the adapter \(found.path.name) is off; turn it on with 'bluetoothctl power on'")
        }
        return found.path
    }

    /// Whether the connection and the adapter are there still.
    package func hasAdapter(_ path: ObjectPath) -> Bool { !isClosed && mirror.tree.has(Adapter1.name, at: path) }

    /// The object of a watched device.
    package func facts(of place: Int) -> DeviceFacts? { watched?.facts(of: place, in: mirror.tree) }

    func hasDevice(_ path: ObjectPath) -> Bool { mirror.tree.has(Device1.name, at: path) }

    func isConnected(_ path: ObjectPath) -> Bool { mirror.tree[path, Device1.connected] == true }

    /// Whether a program is subscribed to a characteristic of a device.
    package func isSubscribed(_ device: ObjectPath) -> Bool {
        GattTree(of: device, in: mirror.tree).characteristics.contains {
            mirror.tree[$0.path, GattCharacteristic1.notifying] == true
        }
    }

    /// In dBm, as BlueZ heard the device last.
    package func rssi(of device: ObjectPath) -> Int? { mirror.tree[device, Device1.rssi].map { Int($0) } }

    /// The object of a device: by the address in its path, or else by the address that it has now. Paired devices with
    /// private addresses keep the path under which BlueZ first met them.
    func path(of address: BluetoothAddress, on adapter: ObjectPath) -> ObjectPath {
        let usual = Bluez.path(of: address, on: adapter)
        if hasDevice(usual) { return usual }
        let other = mirror.tree.paths(with: Device1.name).first { path in
            path.parent == adapter && mirror.tree[path, Device1.address].flatMap { BluetoothAddress($0) } == address
        }
        return other ?? usual
    }

    /// Follows the watched devices whose objects bear another address, until the client is closed.
    package func followAliases() async {
        guard let watched else { return }
        while true {
            await watched.awaitMissing()
            if isClosed { return }
            guard watched.places.contains(where: { facts(of: $0) == nil }) else { continue }
            if await watched.searchAliases() { mirror.refresh() }
        }
    }

    /// Counts the connections of unwatched devices again.
    package func countForeignLinks() async {
        if await watched?.countForeignLinks() == true { mirror.refresh() }
    }
}
