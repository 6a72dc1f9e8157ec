import DBus

/// The state of a local adapter in BlueZ.
package struct AdapterFacts: Sendable, Hashable {
    package var path: ObjectPath
    package var address: BluetoothAddress?
    package var isPowered: Bool
    /// The number of connections to devices that aren't watched. They use slots, too.
    package var externalLinks = 0
    /// Whether BlueZ says that the adapter searches, for whichever program; `nil` when it doesn't say.
    package var isDiscovering: Bool?
    /// Whether bluetoothd offers to listen without asking.
    package var offersMonitors = false

    /// Whether the adapter failed to start: its address is then zero.
    package var isBroken: Bool { address?.bits == 0 }
}

extension AdapterFacts {
    /// - Parameter path: an object with the interface `Adapter1`.
    init(at path: ObjectPath, in tree: ObjectTree) {
        self.init(
            path: path, address: tree.adapterAddress(path), isPowered: tree[path, Adapter1.powered] ?? false,
            isDiscovering: tree[path, Adapter1.discovering],
            offersMonitors: tree[path, AdvertisementMonitorManager1.supportedMonitorTypes]?.contains("or_patterns")
                ?? false)
    }
}
