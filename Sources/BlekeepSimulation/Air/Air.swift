import RunLoop

/// The surroundings of bluetoothd: adapters, peripherals and timing. They outlive it.
final class Air {
    let radios: [Radio]
    let peripherals: [RadioPeripheral]
    let timing: BluezTiming
    /// Whether bluetoothd reports why connections end. The real one does since 5.83.
    var tellsReasons = false
    /// Whether bluetoothd keeps earlier keys of manufacturer data although a client wants repeated data.
    var keepsRecords = false
    /// Whether the signals that bluetoothd sends now get lost.
    var losesSignals = false

    init(adapters: [SimulatedAdapter], peripherals: [SimulatedPeripheral], timing: BluezTiming, seed: UInt64) {
        self.timing = timing
        radios = adapters.map(Radio.init)
        self.peripherals = peripherals.map { RadioPeripheral($0, seed: seed) }
        for peripheral in self.peripherals { peripheral.hasBond = peripheral.model.acquaintance == .bonded }
        for peripheral in peripherals where peripheral.acquaintance != .none {
            radios.first?.kept[peripheral.address] = StoredDevice(isBonded: peripheral.acquaintance == .bonded)
        }
    }
}
