public import BlekeepRecords

/// Peripherals of common kinds.
extension SimulatedPeripheral {
    /// A sensor of temperature (0.01 °C), humidity and pressure, with a battery.
    public static func environmentalSensor(
        _ name: String, address: BluetoothAddress, temperature: ClosedRange<Int>,
        humidity: ClosedRange<Int> = 4200...4800, battery: Int = 87
    ) -> SimulatedPeripheral {
        SimulatedPeripheral(
            name, address, appearance: 0x0540, advertised: [BluetoothUUID(0x181A), BluetoothUUID(0x180F)],
            manufacturerData: [0xFFFF: [1, 2, 3]], rssi: -55,
            services: [
                .environmental(temperature: temperature, humidity: humidity), .battery(battery),
                .deviceInformation(model: "Env 1", serial: String(address.joined(by: "").suffix(6))),
            ])
    }

    /// A chest strap, which only notifies its heart rate.
    public static func heartRateStrap(_ name: String, address: BluetoothAddress) -> SimulatedPeripheral {
        SimulatedPeripheral(
            name, address, addressType: .public, appearance: 832, advertised: [BluetoothUUID(0x180D)], rssi: -70,
            services: [.heartRate, .battery(62)])
    }

    /// A peripheral with only a battery level, such as a door contact.
    public static func batteryOnly(_ name: String, address: BluetoothAddress, battery: Int) -> SimulatedPeripheral {
        SimulatedPeripheral(name, address, rssi: -78, services: [.battery(battery)])
    }

    /// A thermometer with a vendor's service: a temperature with a presentation format, a writable setting, and a value that
    /// only a bonded central may read.
    public static func vendorThermometer(
        _ name: String, address: BluetoothAddress, temperature: ClosedRange<Int>
    ) -> SimulatedPeripheral {
        let warmth = Wave(from: temperature.lowerBound, through: temperature.upperBound, every: .seconds(2400))
        let probe = SimulatedCharacteristic(
            Vendor.temperature, [.read, .notify], every: .seconds(10),
            descriptors: [
                .userDescription("Probe temperature"),
                .presentation(format: 0x0E, exponent: -1, unit: 0x272F),
            ]
        ) { bytes(Int16(clamping: warmth.value(at: $0))) }
        return SimulatedPeripheral(
            name, address, advertised: [Vendor.service], rssi: -80,
            services: [
                SimulatedService(
                    Vendor.service,
                    [
                        probe,
                        SimulatedCharacteristic(Vendor.interval, [.read, .write], constant: bytes(UInt16(60))),
                        SimulatedCharacteristic(Vendor.secret, [.read, .encryptRead], constant: [0x2A]),
                    ]),
                .deviceInformation(manufacturer: "Vendor", model: "Probe", serial: "V-0001"),
            ])
    }

    /// The UUIDs of the vendor thermometer.
    public enum Vendor {
        public static let service = BluetoothUUID(suffix: 1)
        /// The temperature, sint16 in 0.1 °C.
        public static let temperature = BluetoothUUID(suffix: 2)
        public static let interval = BluetoothUUID(suffix: 3)
        public static let secret = BluetoothUUID(suffix: 4)
    }
}

extension BluetoothUUID {
    /// Creates a UUID of the imaginary vendor.
    fileprivate init(suffix: Int) {
        let text = "b1e0000\(suffix)-6b65-4570-9a3e-2f0c5d81a7c4"
        guard let uuid = BluetoothUUID(text) else { preconditionFailure("not a UUID: \(text)") }
        self = uuid
    }
}

extension BluetoothAddress {
    /// Creates an address from a literal, which must be valid.
    init(literal text: String) {
        guard let address = BluetoothAddress(text) else { preconditionFailure("not an address: \(text)") }
        self = address
    }
}
