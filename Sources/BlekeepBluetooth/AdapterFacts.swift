import DBus

/// What BlueZ says of a local adapter.
package struct AdapterFacts: Sendable, Hashable {
    package var path: ObjectPath
    package var address: BluetoothAddress?
    package var isPowered: Bool
    /// Connections of devices that aren't watched: they take up slots, too.
    package var foreignLinks = 0

    /// Whether it has failed to start: such an adapter has no address.
    package var isBroken: Bool { address?.bits == 0 }
}

extension AdapterFacts {
    /// - Parameter path: an object with the interface `Adapter1`.
    init(at path: ObjectPath, in tree: ObjectTree) {
        self.init(
            path: path, address: tree.adapterAddress(path), isPowered: tree[path, Adapter1.powered] ?? false)
    }
}
