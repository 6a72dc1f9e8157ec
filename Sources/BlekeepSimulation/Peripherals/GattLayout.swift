import BlekeepRecords

/// The place of a characteristic in its peripheral's attribute table.
struct GattPlace {
    let characteristic: SimulatedCharacteristic
    /// The handle of its declaration. The value has the next one.
    let handle: Int
    let descriptors: [(descriptor: SimulatedDescriptor, handle: Int)]
}

/// The handles of a peripheral's services: for each declaration, each value and each descriptor. The first five belong to
/// Generic Access, which BlueZ doesn't export.
struct GattLayout {
    struct Service {
        let uuid: BluetoothUUID
        let handle: Int
        let places: [GattPlace]
    }

    let services: [Service]

    init(_ peripheral: SimulatedPeripheral, after shift: Int = 0) {
        var next = 6 + shift
        services = ([Self.genericAttribute] + peripheral.services).map { service in
            let handle = next
            next += 1
            let places = service.characteristics.map { Self.place($0, from: &next) }
            return Service(uuid: service.uuid, handle: handle, places: places)
        }
    }

    private static func place(_ characteristic: SimulatedCharacteristic, from next: inout Int) -> GattPlace {
        let handle = next
        next += 2
        var descriptors = characteristic.descriptors
        if characteristic.notifies { descriptors.insert(SimulatedDescriptor(BluetoothUUID(0x2902), [0, 0]), at: 0) }
        let numbered = descriptors.map { descriptor in
            defer { next += 1 }
            return (descriptor, next)
        }
        return GattPlace(characteristic: characteristic, handle: handle, descriptors: numbered)
    }

    private static let genericAttribute = SimulatedService(
        BluetoothUUID(0x1801),
        [
            SimulatedCharacteristic(BluetoothUUID(0x2A05), [.indicate], every: .seconds(86400 * 365)) { _ in
                [1, 0, 0xFF, 0xFF]
            },
            SimulatedCharacteristic(BluetoothUUID(0x2B29), [.read, .write], constant: [0]),
            SimulatedCharacteristic(BluetoothUUID(0x2B3A), constant: [0]),
        ])
}
