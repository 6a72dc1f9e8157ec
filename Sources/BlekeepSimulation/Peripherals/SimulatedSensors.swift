import BlekeepRecords

/// Sensors of the shops, which advertise 21.5 °C and 45 %.
extension SimulatedPeripheral {
    /// One for each format, with these addresses.
    static func sensors(_ address: (Int) -> BluetoothAddress) -> [SimulatedPeripheral] {
        let (cellar, shed, garage) = (address(6), address(11), address(12))
        return [
            sensor(
                "Cellar", address: cellar,
                services: [
                    0x181A: cellar.bytes.reversed() + [0x66, 0x08, 0x94, 0x11, 0xA1, 0x0B, 84, 1, 0]
                ]),
            sensor(
                "Kitchen", address: address(7),
                services: [0xFE95: [0x40, 0x50, 0x5B, 0x04, 1, 0x0D, 0x10, 4, 0xD7, 0x00, 0xC2, 0x01]]),
            sensor("GVH5075_0008", address: address(8), companies: [0xEC88: [0, 0x03, 0x49, 0x9A, 100, 0]]),
            sensor("TP357 (0009)", address: address(9), companies: [0xD7C2: [0x00, 45, 2, 0x2C]]),
            sensor("sps", address: address(10), companies: [0x0866: [0x94, 0x11, 0, 0x12, 0x34, 85, 8]]),
            sensor(
                "Shed", address: shed,
                services: [
                    0xFDCD: [0x08, 0x10] + shed.bytes.reversed() + [1, 4, 0xD7, 0x00, 0xC2, 0x01, 2, 1, 85]
                ]),
            sensor(
                "Garage", address: garage, companies: [0x0969: garage.bytes + [1, 0, 5, 0x80 + 21, 45]],
                services: [0xFD3D: [0x54, 0, 100]]),
            sensor(
                "Tank", address: address(13), advertised: [BluetoothUUID(0xFEE5)],
                companies: [0x0059: [3, 92, 61, 0xE8, 0xC3, 0xAA, 0xBB, 0xCC, 0, 0]]),
            sensor(
                "Badge", address: address(14),
                companies: [0x004C: [0x02, 0x15] + [UInt8](repeating: 7, count: 16) + [0, 1, 0, 2, 0xC5]]),
        ]
    }

    private static func sensor(
        _ name: String, address: BluetoothAddress, advertised: [BluetoothUUID] = [],
        companies: [UInt16: [UInt8]] = [:], services: [UInt16: [UInt8]] = [:]
    ) -> SimulatedPeripheral {
        let data = services.map { (BluetoothUUID($0), $1) }
        return SimulatedPeripheral(
            name, address, advertised: advertised, manufacturerData: companies,
            serviceData: Dictionary(uniqueKeysWithValues: data), rssi: -70, acquaintance: .none, services: [])
    }
}
