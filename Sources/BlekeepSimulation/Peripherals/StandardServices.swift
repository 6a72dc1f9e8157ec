import BlekeepRecords

/// Services of the Bluetooth SIG.
extension SimulatedService {
    /// Temperature in the range `temperature` (0.01 °C), humidity and pressure, which rise and fall slowly.
    public static func environmental(
        temperature: ClosedRange<Int>, humidity: ClosedRange<Int> = 4200...4800, pressure: Bool = true
    ) -> SimulatedService {
        let warmth = Wave(from: temperature.lowerBound, through: temperature.upperBound, every: .seconds(3600))
        let damp = Wave(from: humidity.lowerBound, through: humidity.upperBound, every: .seconds(5400))
        let weather = Wave(from: 1_009_000, through: 1_017_000, every: .seconds(86400))
        var characteristics = [
            SimulatedCharacteristic(BluetoothUUID(0x2A6E), [.read, .notify], every: .seconds(5)) {
                bytes(Int16(clamping: warmth.value(at: $0)))
            },
            SimulatedCharacteristic(BluetoothUUID(0x2A6F)) { bytes(UInt16(clamping: damp.value(at: $0))) },
        ]
        if pressure {
            characteristics.append(
                SimulatedCharacteristic(BluetoothUUID(0x2A6D)) { bytes(UInt32(clamping: weather.value(at: $0))) })
        }
        return SimulatedService(BluetoothUUID(0x181A), characteristics)
    }

    /// A battery that starts at `percent`, and loses 1 % every six hours.
    public static func battery(_ percent: Int) -> SimulatedService {
        SimulatedService(
            BluetoothUUID(0x180F),
            [
                SimulatedCharacteristic(BluetoothUUID(0x2A19), [.read, .notify], every: .seconds(60)) { moment in
                    [UInt8(clamping: max(1, percent - Int(moment.components.seconds / 21600)))]
                }
            ])
    }

    public static func deviceInformation(
        manufacturer: String = "blekeep", model: String, serial: String, firmware: String = "1.0.0"
    ) -> SimulatedService {
        SimulatedService(
            BluetoothUUID(0x180A),
            [
                SimulatedCharacteristic(BluetoothUUID(0x2A29), text: manufacturer),
                SimulatedCharacteristic(BluetoothUUID(0x2A24), text: model),
                SimulatedCharacteristic(BluetoothUUID(0x2A25), text: serial),
                SimulatedCharacteristic(BluetoothUUID(0x2A26), text: firmware),
            ])
    }

    /// A heart rate between 60 and 100, notified every second, with the location chest.
    public static let heartRate: SimulatedService = {
        let rate = Wave(from: 60, through: 100, every: .seconds(120))
        return SimulatedService(
            BluetoothUUID(0x180D),
            [
                SimulatedCharacteristic(BluetoothUUID(0x2A37), [.notify]) { [0, UInt8(clamping: rate.value(at: $0))] },
                SimulatedCharacteristic(BluetoothUUID(0x2A38), constant: [1]),
            ])
    }()
}
