import BlekeepRecords

/// Sensors of the shops, which advertise 21.5 °C and 45 % if they measure these.
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
        ] + makers(address)
    }

    /// The key of `Boat`, a battery monitor of Victron.
    package static let boatKey = "07070707070707070707070707070707"

    private static func makers(_ address: (Int) -> BluetoothAddress) -> [SimulatedPeripheral] {
        let (bedroom, cave, soil) = (address(17), address(25), address(32))
        let tilt: [UInt8] = [
            0x02, 0x15, 0xA4, 0x95, 0xBB, 0x10, 0xC5, 0xB1, 0x4B, 0x44, 0xB5, 0x12, 0x13, 0x70, 0xF0, 0x2D, 0x74, 0xDE,
            0,
            71, 4, 36, 0xC5,
        ]
        return [
            sensor(
                "Boat", address: address(15),
                companies: [
                    0x02E1: [0x10, 2, 0x89, 0xA3, 2, 1, 0, 7, 0x0C, 0x14, 0x8B, 0x40, 0x94, 0xA1, 0xEB, 0x73, 0x91]
                        + [0x1D, 0xCB, 0x33, 0x2F, 0xAB, 0x55]
                ]),
            sensor("Toothbrush", address: address(16), companies: [0x00DC: [6, 0x31, 0, 3, 0x72, 1, 14, 0, 2, 0, 4]]),
            sensor(
                "Bedroom", address: bedroom, advertised: [BluetoothUUID(0xFFF0)],
                companies: [0x0011: [0, 0] + bedroom.bytes.reversed() + [0xB8, 0x0B, 0x58, 1, 0xD0, 2, 1, 0, 0, 0]]),
            sensor(
                "SensorPush HT.w 0018", address: address(18), companies: [0x6804: [0x17, 0xD0, 0x46]]),
            sensor(
                "Aranet4 00019", address: address(19),
                companies: [
                    0x0702: [
                        0x21, 0x13, 4, 1, 0, 0x0C, 0x0F, 1, 0x26, 2, 0xAE, 1, 0x6A, 0x27, 45, 90, 1, 0x3C, 0, 10, 0, 7,
                    ]
                ]),
            sensor("Wine", address: address(20), companies: [0x004C: tilt]),
            sensor(
                "Pill", address: address(21),
                companies: [
                    0x4152: [0x50, 0x54, 2, 0, 0, 0, 0, 0, 0, 0x93, 0x53, 0x44, 0x82, 0, 0, 0, 0, 0, 0, 0, 0, 0x55, 0]
                ]),
            sensor("MyCO2", address: address(22), companies: [0x06D5: [0, 8, 0, 22, 0x47, 0x61, 0x33, 0x73, 0x26, 2]]),
            sensor(
                "Tempo Disc", address: address(23),
                companies: [0x0133: [0x17, 84, 14, 16, 0, 9, 0, 215, 1, 0xC2, 0, 90, 1, 0]]),
            sensor(
                "Jaalee", address: address(24),
                services: [
                    0xF525: [100] + address(24).bytes.reversed() + [0x61, 0x47, 0x73, 0x33]
                ]),
            sensor("Cave", address: cave, services: [0xFEAA: [0x21, 1, 7, 0x0B, 0xA1, 0x15, 0x80, 45, 0]]),
            sensor("Pallet", address: address(26), services: [0xFEAB: [0x70, 0, 10, 0, 215, 1, 0xC2, 0x0B, 0xA1, 0]]),
            sensor("Meter", address: address(27), companies: [0x8290: [4, 0, 0xCF, 0xE4, 0, 0, 0xDC, 5, 0xB0, 0, 0]]),
            sensor("MOCREO", address: address(28), companies: [0x8311: [0, 0x80, 100, 0, 0x66, 8, 0x94, 0x11, 0]]),
            sensor("P RHT 000029", address: address(29), services: [0x2A6E: [0x66, 8], 0x2A6F: [45]]),
            sensor("EYE", address: address(30), companies: [0x089A: [1, 0x83, 8, 0x66, 45, 98]]),
            sensor(
                "ECo", address: address(31),
                services: [0xAA21: [0x66, 8, 0x94, 0x11, 0x26, 2] + [UInt8](repeating: 0, count: 16)]),
            sensor(
                "Basil", address: soil,
                services: [0x181A: [0x20, 5, 0x0B, 0xA1, 8, 0x66, 0x73, 0x33, 0x73, 0x33] + soil.bytes]),
            sensor("Orchid", address: address(33), services: [0xFD50: [45, 0, 215, 0, 1, 0x2C, 98, 1, 0x5E]]),
            sensor(
                "MIBFS", address: address(34),
                services: [0x181B: [2, 0x26, 0xEA, 7, 1, 1, 8, 0, 0, 0xF4, 1, 0x98, 0x3A]]),
            sensor("Curtain", address: address(35), services: [0xFD3D: [0x63, 0x40, 83, 20, 0x11, 4]]),
            sensor(
                "Well", address: address(36),
                companies: [0x00C5: [7] + [UInt8](repeating: 0, count: 15) + [0, 0, 0, 0x3F]]),
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
