import BlekeepRecords

extension Scenario {
    /// Peripherals of several kinds, most with the services of the Bluetooth SIG, all known to BlueZ.
    public static let house = Scenario(
        "house", "a living room, a freezer, a heart-rate strap, a vendor's thermometer and a door; all known",
        peripherals: residents)

    /// The same house, when the gateway is new.
    public static let fresh = Scenario(
        "fresh", "the same house, but BlueZ knows no device yet",
        peripherals: residents.map { $0.known(.none) })

    private static let residents: [SimulatedPeripheral] = [
        .environmentalSensor(
            "Living Room", address: BluetoothAddress(literal: "F0:00:00:00:00:01"), temperature: 2050...2280),
        .environmentalSensor(
            "Freezer", address: BluetoothAddress(literal: "F0:00:00:00:00:02"), temperature: -1890 ... -1760,
            humidity: 6100...6900, battery: 54),
        .heartRateStrap("Heart Strap", address: BluetoothAddress(literal: "00:1B:DC:00:00:03")),
        .vendorThermometer("Probe", address: BluetoothAddress(literal: "F0:00:00:00:00:04"), temperature: 380...655),
        .batteryOnly("Front Door", address: BluetoothAddress(literal: "F0:00:00:00:00:05"), battery: 31),
    ]
}
