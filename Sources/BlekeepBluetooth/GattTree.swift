import DBus

/// A service of a connected device in BlueZ's object tree.
package struct GattService: Sendable, Hashable {
    package var path: ObjectPath
    package var uuid: BluetoothUUID
    package var isPrimary: Bool
}

/// A characteristic of a connected device in BlueZ's object tree.
package struct GattCharacteristic: Sendable, Hashable {
    package var path: ObjectPath
    package var uuid: BluetoothUUID
    package var service: BluetoothUUID
    package var flags: [String]
    /// Descriptors by UUID.
    package var descriptors: [BluetoothUUID: ObjectPath]

    package var isReadable: Bool { flags.contains("read") }
    package var isWritable: Bool { flags.contains("write") || flags.contains("write-without-response") }
    package var canNotify: Bool { flags.contains("notify") || flags.contains("indicate") }
}

/// The services and characteristics of a device, in the order of their handles.
package struct GattTree: Sendable, Hashable {
    package var services: [GattService] = []
    package var characteristics: [GattCharacteristic] = []

    package init(of device: ObjectPath, in tree: ObjectTree) {
        // The tree is sorted by path: services come before their characteristics, and these before their descriptors.
        for (path, object) in tree.objects(below: device) {
            if let service = object[GattService1.name.text] {
                guard let uuid = Self.uuid(service) else { continue }
                let isPrimary = service[GattService1.primary] ?? true
                services.append(GattService(path: path, uuid: uuid, isPrimary: isPrimary))
            } else if let characteristic = object[GattCharacteristic1.name.text] {
                add(characteristic, at: path)
            } else if let descriptor = object[GattDescriptor1.name.text], let uuid = Self.uuid(descriptor) {
                guard let last = characteristics.indices.last, path.isAt(orBelow: characteristics[last].path) else {
                    continue
                }
                if characteristics[last].descriptors[uuid] == nil { characteristics[last].descriptors[uuid] = path }
            }
        }
    }

    private mutating func add(_ properties: Properties, at path: ObjectPath) {
        guard let uuid = Self.uuid(properties) else { return }
        let service = properties[GattCharacteristic1.service]
        let flags = properties[GattCharacteristic1.flags] ?? []
        characteristics.append(
            GattCharacteristic(
                path: path, uuid: uuid, service: services.last { $0.path == service }?.uuid ?? BluetoothUUID(0),
                flags: flags, descriptors: [:]))
    }

    private static func uuid(_ properties: Properties) -> BluetoothUUID? {
        properties[GattService1.uuid].flatMap { BluetoothUUID($0) }
    }
}
