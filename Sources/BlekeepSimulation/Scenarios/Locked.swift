import BlekeepRecords

extension Scenario {
    /// Unknown sensors that need pairing, each with another method.
    public static let passkey = Scenario(
        "passkey", "unknown sensors that must be paired: a passkey, a comparison, a keypad, nothing, never",
        peripherals: [
            locked("Passkey", number: 1, pairing: .passkey(123_456)),
            locked("Compare", number: 2, pairing: .comparison(77)),
            locked("Keypad", number: 3, pairing: .keypad(4711)), locked("Simple", number: 4, pairing: .justWorks),
            locked("Never", number: 5, pairing: .none),
        ])

    private static func locked(_ name: String, number: Int, pairing: SimulatedPairing) -> SimulatedPeripheral {
        var temperature = SimulatedCharacteristic(BluetoothUUID(0x2A6E), constant: bytes(Int16(2125)))
        temperature.isProtected = true
        return SimulatedPeripheral(
            name, numbered(number, group: 4), advertised: [BluetoothUUID(0x181A)], acquaintance: .none,
            pairing: pairing,
            services: [
                SimulatedService(BluetoothUUID(0x181A), [temperature]),
                .battery(87),
            ])
    }
}
