import BlekeepRecords

extension Scenario {
    /// Unknown sensors that need pairing, each with another method.
    public static let passkey = Scenario(
        "passkey", "unknown sensors that must be paired: a passkey, a comparison, a keypad, nothing, never",
        peripherals: [
            locked("Passkey", 1, .passkey(123_456)), locked("Compare", 2, .comparison(77)),
            locked("Keypad", 3, .keypad(4711)), locked("Simple", 4, .justWorks), locked("Never", 5, .none),
        ])

    private static func locked(_ name: String, _ number: Int, _ pairing: SimulatedPairing) -> SimulatedPeripheral {
        var temperature = SimulatedCharacteristic(BluetoothUUID(0x2A6E), constant: bytes(Int16(2125)))
        temperature.isProtected = true
        return SimulatedPeripheral(
            name, numbered(number, 4), advertised: [BluetoothUUID(0x181A)], acquaintance: .none, pairing: pairing,
            services: [
                SimulatedService(BluetoothUUID(0x181A), [temperature]),
                .battery(87),
            ])
    }
}
