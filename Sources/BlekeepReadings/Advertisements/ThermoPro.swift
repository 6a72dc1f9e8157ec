/// A packet of a ThermoPro thermometer: TP35x and TP39x, and the meat probes TP96x and TP97x. Manufacturer data whose
/// company number is part of the values, so that the device is recognized by its name.
///
/// The source is the parser of Home Assistant's thermopro-ble 1.1.4.
enum ThermoPro {
    static let names = ["TP35", "TP39", "TP96", "TP97"]

    /// Without a known name, blekeep takes the packet for that of a thermometer for rooms.
    static func decode(_ input: BroadcastInput) throws(DecodeError) -> Broadcast? {
        guard input.company != nil else { return nil }
        let bytes = input.bytesWithCompany
        let name = input.data.name.flatMap { name in names.contains { name.hasPrefix($0) } ? name : nil } ?? "TP35"
        let values: [Measurement]
        switch bytes.count {
        case 23 where name.hasPrefix("TP97"): values = try longProbe(bytes)
        case 7 where name.hasPrefix("TP9"), 13 where name.hasPrefix("TP9"): values = try probe(bytes.prefix(7))
        case 6... where name.hasPrefix("TP3"): values = try room(bytes)
        default: return nil
        }
        return .sensor(SensorPacket(.thermopro, values))
    }

    // MARK: Rooms

    private static func room(_ bytes: [UInt8]) throws(DecodeError) -> [Measurement] {
        let levels: [Int64] = [1, 50, 100]
        let code = Int(bytes[4] & 3)
        let battery = levels.indices.contains(code) ? FieldValue.value(.integer(levels[code])) : .state("unknown")
        var values = try SensorFields.decode("temperature sint16 *1e-1 °C; humidity uint8 %", bytes: bytes[1..<4])
        if bytes[1..<4].allSatisfy({ $0 == 0xFF }) {
            for index in values.indices { (values[index].value, values[index].state) = (nil, "invalid") }
        }
        return values + [Measurement(field: "battery", battery, unit: "%")]
    }

    // MARK: Probes

    private static func probe(_ bytes: ArraySlice<UInt8>) throws(DecodeError) -> [Measurement] {
        var reader = ByteReader(Array(bytes))
        let number = try reader.unsigned(bits: 8) + 1
        let inside = Int64(try reader.unsigned(bits: 16)) - 30
        let voltage = try reader.unsigned(bits: 16)
        let outside = Int64(try reader.unsigned(bits: 16)) - 30
        return [
            Measurement(field: "temperature_probe_\(number)", value: .integer(inside), unit: "°C"),
            Measurement(field: "ambient_temperature_probe_\(number)", value: .integer(outside), unit: "°C"),
            battery(voltage, of: number),
        ]
    }

    /// The TP972 sends °F, plus 54.
    private static func longProbe(_ bytes: [UInt8]) throws(DecodeError) -> [Measurement] {
        var reader = ByteReader(bytes)
        func celsius(_ field: String, number: Double) -> Measurement {
            SensorFields.rounded(field, number: (number - 54 - 32) * 5 / 9, unit: "°C", decimals: 1)
        }
        let number = try reader.unsigned(bits: 8) + 1
        let ambient = Double(try reader.unsigned(bits: 16))
        let voltage = try reader.unsigned(bits: 16)
        var values: [Measurement] = []
        for place in ["", "center_", "end_"] {
            let bits = UInt32(try reader.unsigned(bits: 32))
            values.append(celsius("temperature_\(place)probe_\(number)", number: Double(Float(bitPattern: bits))))
        }
        return values + [celsius("ambient_temperature_probe_\(number)", number: ambient), battery(voltage, of: number)]
    }

    /// The charge follows the voltage as thermopro-ble fitted it: 52.3 · tanh(voltage/273.6 - 8.76) + 51.1.
    private static func battery(_ voltage: UInt64, of number: UInt64) -> Measurement {
        let power = exponential(2 * (Double(voltage) / 273.624277936 - 8.76485439394))
        let charge = 52.317286 * (1 - 2 / (power + 1)) + 51.06925
        let percent = Int64(max(0, min(charge, 100)) + 0.5)
        return Measurement(field: "battery_probe_\(number)", value: .integer(percent), unit: "%")
    }
}

/// Returns the exponential function. exp() would link libm.
func exponential(_ exponent: Double) -> Double {
    let small = exponent / 1024
    var power = 1 + small * (1 + small / 2 * (1 + small / 3 * (1 + small / 4 * (1 + small / 5))))
    for _ in 0..<10 { power *= power }
    return power
}
