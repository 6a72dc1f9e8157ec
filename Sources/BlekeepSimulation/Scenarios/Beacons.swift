import BlekeepRecords

extension Scenario {
    /// A sensor that remembers.
    public static let memory = Scenario(
        "memory", "a RuuviTag that keeps what it measured in the last three days",
        peripherals: [
            .ruuviTag(
                "Ruuvi 0901", address: numbered(1, group: 9), temperature: 1650...1910, memory: SimulatedMemory())
        ])

    /// Sensors that only advertise, and one to connect.
    public static let beacons = Scenario(
        "beacons",
        "a sensor of each format, which only advertises, one of them encrypted, and a door to connect",
        peripherals: [
            .ruuviTag("Attic", address: numbered(1, group: 5), temperature: 1650...1910),
            .bthomeThermometer("Balcony", address: numbered(2, group: 5), temperature: -310...240),
            .bthomeButton("Doorbell", address: numbered(37, group: 5)),
            .batteryOnly("Back Door", address: numbered(5, group: 5), battery: 74).known(.none),
        ] + SensorTable.rows.map { $0.peripheral(numbered($0.number, group: 5)) })
}
