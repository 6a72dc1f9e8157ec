import BlekeepRecords

extension Scenario {
    /// Sensors that remember.
    public static let memory = Scenario(
        "memory",
        "sensors that keep what they measured: two RuuviTags, one whose memory is full, and a Govee thermometer",
        peripherals: [
            .ruuviTag(
                "Ruuvi 0901", address: numbered(1, group: 9), temperature: 1650...1910, memory: SimulatedMemory()),
            .ruuviTag(
                "Ruuvi 0902", address: numbered(2, group: 9), temperature: -2000 ... -1810,
                memory: SimulatedMemory(age: .seconds(30 * 86_400))),
            .goveeThermometer(
                "GVH5075 0903", address: numbered(3, group: 9), temperature: 450...1910, memory: SimulatedMinutes()),
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
