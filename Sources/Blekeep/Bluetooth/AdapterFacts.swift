import DBus

/// What BlueZ says of a local adapter.
struct AdapterFacts: Sendable, Hashable {
    var path: ObjectPath
    var address: BluetoothAddress?
    var isPowered: Bool
    /// Connections of devices that aren't watched: they take up slots, too.
    var foreignLinks = 0

    /// Whether it has failed to start: such an adapter has no address.
    var isBroken: Bool { address?.bits == 0 }
}

extension AdapterFacts {
    /// - Parameter path: an object with the interface `Adapter1`.
    init(at path: ObjectPath, in tree: ObjectTree) {
        self.init(
            path: path, address: tree.adapterAddress(path), isPowered: tree[path, Adapter1.powered] ?? false)
    }
}
