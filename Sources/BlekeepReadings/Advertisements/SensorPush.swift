/// A packet of a SensorPush sensor. Manufacturer data whose company number is part of the values: all of them are one large
/// number, of which each value is a remainder. The HT1 has places for its bits.
///
/// The source is the parser of Home Assistant's sensorpush-ble 1.9.0.
enum SensorPush {
    static let names = ["SensorPush HT", "SensorPush TC", "HTP.xw", "HT.w", "TC.x"]
    private static let oldService = BluetoothUUID("ef090000-11d6-42ba-93b8-9dd7ec090aa9")
    private static let newService = BluetoothUUID("ef090000-11d6-42ba-93b8-9dd7ec090ab0")
    static let services = [oldService, newService].compactMap { $0 }

    /// A value: its lowest number, in steps, and how many steps there are.
    private struct Part: Sendable {
        let field: String
        let unit: String
        let lowest: Int64
        let count: UInt64
        let scale: Scale
    }

    private static let humidity = Part(
        field: "humidity", unit: "%", lowest: 0, count: 40_001, scale: Scale(multiplier: 25, decimal: -4))

    private static func temperature(_ range: ClosedRange<Int64>) -> Part {
        Part(
            field: "temperature", unit: "°C", lowest: range.lowerBound * 400,
            count: UInt64(range.upperBound - range.lowerBound) * 400 + 1, scale: Scale(multiplier: 25, decimal: -4))
    }

    /// By the type in the upper six bits of the first byte: HTP.xw, HT.w and TC.x.
    private static let types: [UInt8: [Part]] = [
        0: [
            temperature(-40...140), humidity,
            Part(field: "pressure", unit: "Pa", lowest: 30_000, count: 95_001, scale: Scale()),
        ],
        1: [temperature(-40...125), humidity],
        2: [
            Part(
                field: "temperature", unit: "°C", lowest: -3200, count: 32_001,
                scale: Scale(multiplier: 625, decimal: -4))
        ],
    ]

    static func decode(_ input: BroadcastInput) throws(DecodeError) -> Broadcast? {
        guard input.company != nil, !(input.company == IBeacon.company && IBeacon.matches(input.bytes)) else {
            return nil
        }
        let bytes = input.bytesWithCompany
        if let oldService, input.data.services.contains(oldService) { return first(bytes) }
        guard (4...8).contains(bytes.count), bytes[0] & 3 == 0, let parts = types[bytes[0] >> 2] else { return nil }
        // Seven bytes at most.
        var rest = bytes.dropFirst().reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        var values: [Measurement] = []
        for part in parts {
            let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: part.count)
            rest = quotient
            let value = part.scale.value(of: Int64(remainder) + part.lowest)
            values.append(
                Measurement(
                    field: part.field, value: value, unit: part.unit,
                    decimals: part.scale == Scale() ? nil : part.scale.decimals))
        }
        return .sensor(SensorPacket(.sensorpush, values))
    }

    /// The HT1: 12 bits of humidity, then 14 bits of temperature, then the type.
    private static func first(_ bytes: [UInt8]) -> Broadcast? {
        guard bytes.count >= 4, bytes[3] & 0x7C == 0x04 else { return nil }
        let humidity = Double(Int(bytes[1] & 15) << 8 | Int(bytes[0]))
        let temperature = Double(Int(bytes[3] & 3) << 12 | Int(bytes[2]) << 4 | Int(bytes[1] >> 4))
        let percent = max(0, min(100, 125 * humidity / 4096 - 6))
        return .sensor(
            SensorPacket(
                .sensorpush,
                [
                    SensorFields.rounded("temperature", number: 175.72 * temperature / 16384 - 46.85, unit: "°C"),
                    SensorFields.rounded("humidity", number: percent, unit: "%"),
                ]))
    }
}
