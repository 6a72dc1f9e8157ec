public import BlekeepRecords

/// The part of an advertisement that changes: measurements.
public struct SimulatedBroadcast: Sendable, Hashable {
    public var manufacturerData: [UInt16: [UInt8]]
    public var serviceData: [BluetoothUUID: [UInt8]]

    public init(manufacturerData: [UInt16: [UInt8]] = [:], serviceData: [BluetoothUUID: [UInt8]] = [:]) {
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
    }
}

/// Sensors that only advertise.
extension SimulatedPeripheral {
    /// A tag with Ruuvi's data format 5. It measures every `period`, and repeats the packet in between.
    public static func ruuviTag(
        _ name: String, address: BluetoothAddress, temperature: ClosedRange<Int>,
        every period: Duration = .seconds(10)
    ) -> SimulatedPeripheral {
        ruuviTag(name, address: address, temperature: temperature, every: period, memory: nil)
    }

    /// - Parameter memory: what it keeps; `nil` for a tag that can't be connected.
    package static func ruuviTag(
        _ name: String, address: BluetoothAddress, temperature: ClosedRange<Int>,
        every period: Duration = .seconds(10), memory: SimulatedMemory?
    ) -> SimulatedPeripheral {
        // In 0.005 °C, 0.0025 %, and Pa above 50000.
        let warmth = Wave(from: temperature.lowerBound * 2, through: temperature.upperBound * 2, every: .seconds(3600))
        let damp = Wave(from: 18_000, through: 21_000, every: .seconds(5400))
        let weather = Wave(from: 50_900, through: 51_700, every: .seconds(86400))
        let tag = aloof(name, address, rssi: -66) { moment in
            let (number, moment) = measurement(at: moment, every: period)
            var bytes: [UInt8] = [5]
            let waves = [warmth, damp, weather].map { $0.value(at: moment) }
            for field in waves + [4, -12, 1012] { bytes += bigEndian(UInt16(truncatingIfNeeded: field)) }
            // 2.977 V and 4 dBm; no movement.
            bytes += bigEndian(1377 << 5 | 22) + [0] + bigEndian(UInt16(truncatingIfNeeded: number)) + address.bytes
            return SimulatedBroadcast(manufacturerData: [0x0499: bytes])
        }
        guard let memory else { return tag }
        return tag.remembering(memory) { moment in
            [warmth.value(at: moment) / 2, damp.value(at: moment) / 4, weather.value(at: moment) + 50_000]
        }
    }

    /// A thermometer with BTHome v2, and a packet counter.
    public static func bthomeThermometer(
        _ name: String, address: BluetoothAddress, temperature: ClosedRange<Int>,
        every period: Duration = .seconds(10)
    ) -> SimulatedPeripheral {
        let warmth = Wave(from: temperature.lowerBound, through: temperature.upperBound, every: .seconds(3600))
        let damp = Wave(from: 4200, through: 4800, every: .seconds(5400))
        return aloof(name, address, rssi: -73) { moment in
            let (number, moment) = measurement(at: moment, every: period)
            let warmth = bytes(Int16(clamping: warmth.value(at: moment)))
            let damp = bytes(UInt16(clamping: damp.value(at: moment)))
            let start: [UInt8] = [0x40, 0x00, UInt8(truncatingIfNeeded: number), 0x01, 84]
            return SimulatedBroadcast(serviceData: [BTHome.service: start + [0x02] + warmth + [0x03] + damp])
        }
    }

    /// A Govee H5075: temperature in 0.01 °C, humidity and charge.
    ///
    /// - Parameter memory: what it keeps; `nil` for one that can't be connected.
    package static func goveeThermometer(
        _ name: String, address: BluetoothAddress, temperature: ClosedRange<Int>,
        every period: Duration = .seconds(10), memory: SimulatedMinutes? = nil
    ) -> SimulatedPeripheral {
        let warmth = Wave(
            from: temperature.lowerBound / 10, through: temperature.upperBound / 10, every: .seconds(3600))
        let damp = Wave(from: 420, through: 480, every: .seconds(5400))
        let thermometer = aloof(name, address, rssi: -69) { moment in
            let (_, moment) = measurement(at: moment, every: period)
            let packed = UInt32(clamping: warmth.value(at: moment) * 1000 + damp.value(at: moment))
            let bytes = [0] + bigEndian(UInt16(packed >> 8)) + [UInt8(packed & 0xFF), 87, 0]
            return SimulatedBroadcast(manufacturerData: [0xEC88: bytes])
        }
        guard let memory else { return thermometer }
        return thermometer.remembering(memory) { (warmth.value(at: $0), damp.value(at: $0)) }
    }

    /// A door with BTHome v2, which opens or closes every `period`.
    static func bthomeDoor(
        _ name: String, address: BluetoothAddress, every period: Duration = .seconds(90)
    ) -> SimulatedPeripheral {
        bthomeTrigger(name, address, every: period) { number in [0x1A, number & 1] }
    }

    /// A button with BTHome v2, pressed every `period`.
    static func bthomeButton(
        _ name: String, address: BluetoothAddress, every period: Duration = .seconds(10)
    ) -> SimulatedPeripheral {
        bthomeTrigger(name, address, every: period) { _ in [0x3A, 0x01] }
    }

    /// A sensor with BTHome v2 that sends a packet number, its charge and an object when something happens.
    private static func bthomeTrigger(
        _ name: String, _ address: BluetoothAddress, every period: Duration,
        object: @escaping @Sendable (_ number: UInt8) -> [UInt8]
    ) -> SimulatedPeripheral {
        aloof(name, address, rssi: -71) { moment in
            let number = UInt8(truncatingIfNeeded: measurement(at: moment, every: period).0)
            return SimulatedBroadcast(serviceData: [BTHome.service: [0x44, 0x00, number, 0x01, 90] + object(number)])
        }
    }

    /// An Inkbird thermometer, whose temperature is the company number, so that BlueZ keeps the earlier ones. Its name is
    /// `sps`, and the humidity in 0.01 % counts its measurements.
    public static func inkbirdThermometer(
        _ name: String, address: BluetoothAddress, temperature: ClosedRange<Int>,
        every period: Duration = .seconds(10)
    ) -> SimulatedPeripheral {
        let warmth = Wave(from: temperature.lowerBound, through: temperature.upperBound, every: .seconds(600))
        return aloof(name, address, rssi: -70) { moment in
            let (number, moment) = measurement(at: moment, every: period)
            let key = UInt16(bitPattern: Int16(clamping: warmth.value(at: moment)))
            return SimulatedBroadcast(
                manufacturerData: [key: bytes(UInt16(number % 10_000)) + [0x00, 0x12, 0x34, 85, 0x08]])
        }
    }

    /// Returns the number of the last measurement before a time, from 0, and its time.
    private static func measurement(at moment: Duration, every period: Duration) -> (number: Int64, at: Duration) {
        let number = moment.components.seconds / max(1, period.components.seconds)
        return (number, period * Int(number))
    }

    /// A sensor that isn't connectable.
    private static func aloof(
        _ name: String, _ address: BluetoothAddress, rssi: Int16,
        _ broadcast: @escaping @Sendable (Duration) -> SimulatedBroadcast
    ) -> SimulatedPeripheral {
        SimulatedPeripheral(name, address, advertised: [], rssi: rssi, acquaintance: .none, services: [])
            .behaving { $0.connecting = .hanging }.broadcasting(broadcast)
    }

    private static func bigEndian(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
}
