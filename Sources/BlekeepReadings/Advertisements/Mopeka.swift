/// A packet of a Mopeka Pro tank sensor. The manufacturer data of Nordic Semiconductor, 0x0059, with the service 0xFEE5.
///
/// The source is github.com/spbrogan/mopeka_pro_check, as in Home Assistant's mopeka-iot-ble 1.0.0.
enum Mopeka {
    static let company: UInt16 = 0x0059
    static let service = BluetoothUUID(0xFEE5)

    private static let products: Set<UInt8> = [0x03, 0x04, 0x05, 0x06, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x12]
    /// TD40 and TD200 hang above the tank and look down through air. Others look up through what the tank holds.
    private static let productsInAir: Set<UInt8> = [0x0A, 0x0B]

    static func decode(_ input: BroadcastInput) throws(DecodeError) -> Broadcast? {
        let bytes = input.bytes
        guard input.company == company, bytes.count == 10, products.contains(bytes[0]),
            input.isChosen || input.data.services.contains(service)
        else { return nil }
        // The level is in microseconds of sound; the quality of the reading is 0 to 3.
        let temperature = Double(bytes[2] & 0x7F)
        let sound = Double(Int(bytes[4] & 0x3F) << 8 | Int(bytes[3]))
        let quality = Int64(bytes[4] >> 6)
        let medium = input.medium ?? (productsInAir.contains(bytes[0]) ? .air : .propane)
        let level = sound * medium.millimeters(at: temperature)
        let charge = max(0, min(100, (Double(bytes[1]) / 32 - 2.2) / 0.65 * 100))
        return .sensor(
            SensorPacket(
                .mopeka,
                [
                    Measurement(field: "temperature", value: .integer(Int64(temperature) - 40), unit: "°C"),
                    Measurement(
                        field: "tank_level", quality == 0 ? .state("unknown") : .value(.integer(Int64(level))),
                        unit: "mm"),
                    Measurement(field: "reading_quality", value: .integer((quality * 100 + 1) / 3), unit: "%"),
                    SensorFields.rounded("battery", number: charge, unit: "%", decimals: 1),
                    Measurement(
                        field: "battery_voltage", value: .number(Double(bytes[1]) / 32), unit: "V", decimals: 3),
                    SensorFields.flag("button_pressed", value: bytes[2] & 0x80 != 0),
                    Measurement(field: "accelerometer_x", value: .integer(Int64(bytes[8]))),
                    Measurement(field: "accelerometer_y", value: .integer(Int64(bytes[9]))),
                ]))
    }
}

/// What the sound of a tank sensor goes through. The raw value is its name in the configuration.
public enum TankMedium: String, Sendable, CaseIterable {
    case propane, air, water

    /// Returns the level per microsecond of sound. Sound is faster in other media and at other temperatures.
    ///
    /// - Parameter temperature: in °C, plus 40.
    fileprivate func millimeters(at temperature: Double) -> Double {
        let (level, slope, bend) =
            switch self {
            case .propane: (0.573045, -0.002822, -0.00000535)
            case .air: (0.153096, 0.000327, -0.000000294)
            case .water: (0.600592, 0.003124, -0.00001368)
            }
        return level + slope * temperature + bend * temperature * temperature
    }
}
