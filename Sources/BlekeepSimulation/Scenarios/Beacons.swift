import BlekeepRecords

extension Scenario {
    /// Sensors that only advertise, and one to connect.
    public static let beacons = Scenario(
        "beacons",
        "sensors of many formats, which only advertise, one of them encrypted, and a door to connect",
        peripherals: [
            .ruuviTag("Attic", address: numbered(1, group: 5), temperature: 1650...1910),
            .bthomeThermometer("Balcony", address: numbered(2, group: 5), temperature: -310...240),
            SimulatedPeripheral(
                "Window", numbered(3, group: 5), advertised: [],
                serviceData: [BTHome.service: [0x44, 0x01, 100, 0x2D, 0x00]],
                rssi: -80, acquaintance: .none, services: []),
            SimulatedPeripheral(
                "Beacon", numbered(4, group: 5), advertised: [],
                serviceData: [Eddystone.service: [0x20, 0, 0x0B, 0xB8, 0x15, 0x80, 0, 0, 0, 9, 0, 0, 0x03, 0x84]],
                acquaintance: .none, services: []),
            .bthomeButton("Doorbell", address: numbered(37, group: 5)),
            .batteryOnly("Back Door", address: numbered(5, group: 5), battery: 74).known(.none),
        ] + SimulatedPeripheral.sensors { numbered($0, group: 5) })
}
