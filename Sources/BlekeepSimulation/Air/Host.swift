import BlekeepRecords

/// A machine as bluetoothd finds it: its adapters, what they hear of each peripheral, and timing. It outlives bluetoothd.
final class Host {
    let radios: [Radio]
    let timing: BluezTiming
    /// The running bluetoothd.
    var bluez: SimulatedBluez?
    /// What it loses of the signal strength of each peripheral, in dB.
    var attenuations: [BluetoothAddress: Int16]
    /// Whether bluetoothd reports why connections end. The real one does since 5.83.
    var tellsReasons = false
    /// Whether bluetoothd keeps earlier keys of manufacturer data although a client wants repeated data.
    var keepsRecords = false
    /// Whether the signals that bluetoothd sends now get lost.
    var losesSignals = false
    /// Whether bluetoothd accepts searches and does none.
    var ignoresSearches = false

    /// The weakest signal that an adapter hears, in dBm.
    static let weakest = -95

    init(_ scenario: Scenario) {
        timing = scenario.timing
        attenuations = scenario.attenuations
        radios = scenario.adapters.map(Radio.init)
    }

    /// The average signal strength of the peripheral at an adapter, in dBm.
    private func strength(of peripheral: RadioPeripheral, at radio: Radio) -> Int {
        let address = peripheral.model.address
        return Int(peripheral.model.rssi) - Int(attenuations[address] ?? 0) - Int(radio.attenuations[address] ?? 0)
    }

    /// Whether the peripheral is in range of an adapter.
    func reaches(_ peripheral: RadioPeripheral, with radio: Radio) -> Bool {
        peripheral.isInRange && strength(of: peripheral, at: radio) >= Self.weakest
    }

    /// Whether an adapter hears the peripheral advertise.
    func hears(_ peripheral: RadioPeripheral, with radio: Radio) -> Bool {
        peripheral.link == nil && reaches(peripheral, with: radio)
    }

    /// Returns the signal strength of one advertisement at an adapter, in dBm.
    func heardStrength(of peripheral: RadioPeripheral, at radio: Radio) -> Int16 {
        let noise = Int16.random(in: -3...3, using: &peripheral.random)
        return Int16(max(-127, min(20, strength(of: peripheral, at: radio) + Int(noise))))
    }
}
