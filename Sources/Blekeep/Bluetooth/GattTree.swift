import DBus

/// A characteristic of a connected device, as its object tree shows it.
package struct GattCharacteristic: Sendable, Hashable {
    var path: ObjectPath
    var uuid: BluetoothUUID
    var service: BluetoothUUID
    var flags: Set<String>
    /// Descriptors by UUID.
    var descriptors: [BluetoothUUID: ObjectPath]

    var isReadable: Bool { flags.contains("read") }
    var canNotify: Bool { flags.contains("notify") || flags.contains("indicate") }
}

/// The characteristics of a device in the order of their handles.
package struct GattTree: Sendable, Hashable {
    var characteristics: [GattCharacteristic]

    package init(of device: ObjectPath, in tree: ObjectTree) {
        let descriptors = tree.paths(with: GattDescriptor1.name, below: device)
        characteristics = tree.paths(with: GattCharacteristic1.name, below: device).compactMap { path in
            guard let uuid = tree[path, GattCharacteristic1.uuid].flatMap({ BluetoothUUID($0) }) else { return nil }
            let service = tree[path, GattCharacteristic1.service].flatMap { tree[$0, GattService1.uuid] }
            let mine = descriptors.filter { $0.parent == path }.compactMap { descriptor in
                tree[descriptor, GattDescriptor1.uuid].flatMap { BluetoothUUID($0) }.map { ($0, descriptor) }
            }
            return GattCharacteristic(
                path: path, uuid: uuid, service: service.flatMap { BluetoothUUID($0) } ?? BluetoothUUID(0),
                flags: Set(tree[path, GattCharacteristic1.flags] ?? []),
                descriptors: Dictionary(mine, uniquingKeysWith: { first, _ in first }))
        }
    }
}
