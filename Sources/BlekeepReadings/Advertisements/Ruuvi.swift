/// A packet of a Ruuvi tag or air monitor in the data formats 3, 5, 6 or E1. The manufacturer data of company 0x0499.
///
/// The source is Ruuvi's description of these formats at docs.ruuvi.com. ``Broadcast`` chooses the format of an
/// advertisement for you.
public struct Ruuvi: Sendable, Hashable {
    /// Ruuvi's company number.
    public static let company: UInt16 = 0x0499

    /// The data format: 3, 5, 6 or 0xE1.
    public let format: UInt8
    /// Pressure in Pa, acceleration in gₙ, battery in V. Values that the tag lacks have the state `unknown`.
    public let measurements: [Measurement]
    /// A number that rises by one with each measurement; `nil` in format 3, or when the tag doesn't send it.
    public let sequence: UInt32?

    /// Decodes a packet.
    ///
    /// - Throws: `short`, `long`, or `format` for another data format.
    public init(_ bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes, endian: .big)
        format = UInt8(truncatingIfNeeded: try reader.unsigned(bits: 8))
        let values: [Measurement]
        switch format {
        case 3: values = try Self.format3(&reader)
        case 5: values = try Self.format5.decode(&reader) + [try Self.address(&reader, bytes: 6)]
        case 6: values = try Self.format6(&reader)
        case 0xE1: values = try Self.formatE1(&reader)
        default: throw .format(format)
        }
        try reader.finish()
        measurements = values.map { $0.limited(in: .ruuvi) }
        let number = measurements.first { $0.field == "measurement_sequence" }?.value
        sequence = if case .integer(let number)? = number { UInt32(exactly: number) } else { nil }
    }

    private static func fields(_ notation: Substring) -> [Field] { Field.list(notation: notation) ?? [] }

    private static let format5 = fields(
        """
        temperature sint16 *5e-3 °C 0x8000=unknown; humidity uint16 *25e-4 % 65535=unknown; \
        pressure uint16 +50000 Pa 65535=unknown; acceleration_x sint16 *1e-3 gₙ 0x8000=unknown; \
        acceleration_y sint16 *1e-3 gₙ 0x8000=unknown; acceleration_z sint16 *1e-3 gₙ 0x8000=unknown; \
        battery_voltage uint11 *1e-3 +1600 V 2047=unknown; tx_power uint5 *2 +-40 dBm 31=unknown; \
        movement_counter uint8 255=unknown; measurement_sequence uint16 65535=unknown
        """)

    /// Reads the tag's address, or the end of it; the state `unknown` when all bits are 1.
    private static func address(_ reader: inout ByteReader, bytes count: Int) throws(DecodeError) -> Measurement {
        let bytes = try reader.bytes(count)
        guard bytes.contains(where: { $0 != 0xFF }) else {
            return Measurement(field: "mac", .state("unknown"), unit: nil)
        }
        let text = bytes.map { String(hex: CollectionOfOne($0)).uppercased() }.joined(separator: ":")
        return Measurement(field: "mac", value: .text(text))
    }

    // MARK: Format 3

    private static let humidity3 = fields("humidity uint8 *5e-1 %")
    private static let rest3 = fields(
        """
        pressure uint16 +50000 Pa; acceleration_x sint16 *1e-3 gₙ; acceleration_y sint16 *1e-3 gₙ; \
        acceleration_z sint16 *1e-3 gₙ; battery_voltage uint16 *1e-3 V
        """)

    private static func format3(_ reader: inout ByteReader) throws(DecodeError) -> [Measurement] {
        let humidity = try humidity3.decode(&reader)
        // A sign, then whole degrees, then hundredths of a degree.
        let isNegative = try reader.unsigned(bits: 1) == 1
        let degrees = try reader.unsigned(bits: 7)
        let hundredths = Int64(try reader.unsigned(bits: 8))
        let size = Int64(degrees) * 100 + hundredths
        let state = Measurement(field: "temperature_hundredths", value: .integer(hundredths)).limited(in: .ruuvi).state
        let value: FieldValue =
            state.map { .state($0) } ?? .value(Scale(decimal: -2).value(of: isNegative ? -size : size))
        return humidity + [Measurement(field: "temperature", value, unit: "°C", decimals: 2)]
            + (try rest3.decode(&reader))
    }

    // MARK: Format 6

    private static let start6 = fields(
        """
        temperature sint16 *5e-3 °C 0x8000=unknown; humidity uint16 *25e-4 % 65535=unknown; \
        pressure uint16 +50000 Pa 65535=unknown; pm2_5 uint16 *1e-1 µg/m³ 65535=unknown; \
        co2 uint16 ppm 65535=unknown
        """)

    private static func format6(_ reader: inout ByteReader) throws(DecodeError) -> [Measurement] {
        let start = try start6.decode(&reader)
        let volatile = try reader.unsigned(bits: 8)
        let nitrogen = try reader.unsigned(bits: 8)
        let light = try reader.unsigned(bits: 8)
        _ = try reader.bytes(1)
        let sequence = try reader.unsigned(bits: 8)
        // The flags contain the lowest bits of both indices.
        let flags = try reader.unsigned(bits: 8)
        return start + [
            index("voc_index", bits: volatile << 1 | flags >> 6 & 1),
            index("nox_index", bits: nitrogen << 1 | flags >> 7),
            Measurement(field: "luminosity", luminosity(light), unit: "lx"),
            Measurement(field: "measurement_sequence", value: .integer(Int64(sequence))),
            Measurement(field: "calibration_in_progress", value: .boolean(flags & 1 == 1)),
            try address(&reader, bytes: 3),
        ]
    }

    // MARK: Format E1

    private static let startE1 = fields(
        """
        temperature sint16 *5e-3 °C 0x8000=unknown; humidity uint16 *25e-4 % 65535=unknown; \
        pressure uint16 +50000 Pa 65535=unknown; pm1 uint16 *1e-1 µg/m³ 65535=unknown; \
        pm2_5 uint16 *1e-1 µg/m³ 65535=unknown; pm4 uint16 *1e-1 µg/m³ 65535=unknown; \
        pm10 uint16 *1e-1 µg/m³ 65535=unknown; co2 uint16 ppm 65535=unknown
        """)
    private static let middleE1 = fields("luminosity uint24 *1e-2 lx 0xFFFFFF=unknown")
    private static let sequenceE1 = fields("measurement_sequence uint24 0xFFFFFF=unknown")

    /// An air monitor's long packet, which needs extended advertising.
    private static func formatE1(_ reader: inout ByteReader) throws(DecodeError) -> [Measurement] {
        let start = try startE1.decode(&reader)
        let volatile = try reader.unsigned(bits: 8)
        let nitrogen = try reader.unsigned(bits: 8)
        let light = try middleE1.decode(&reader)
        _ = try reader.bytes(3)
        let sequence = try sequenceE1.decode(&reader)
        let flags = try reader.unsigned(bits: 8)
        _ = try reader.bytes(5)
        let rest = [
            index("voc_index", bits: volatile << 1 | flags >> 6 & 1),
            index("nox_index", bits: nitrogen << 1 | flags >> 7),
            Measurement(field: "calibration_in_progress", value: .boolean(flags & 1 == 1)),
        ]
        return start + rest + light + sequence + [try address(&reader, bytes: 6)]
    }

    private static func index(_ field: String, bits: UInt64) -> Measurement {
        Measurement(field: field, bits == 511 ? .state("unknown") : .value(.integer(Int64(bits))), unit: nil)
    }

    /// Returns 65536^(code/254) - 1 lx, to hundredths: the format's best resolution.
    private static func luminosity(_ code: UInt64) -> FieldValue {
        guard code < 255 else { return .state("unknown") }
        // pow() would link libm. The first square is 65536^(1/254) = 2^(8/127).
        var power = 1.0
        var square = 0x1.0b6ce02e2f818p0
        var rest = code
        while rest > 0 {
            if rest & 1 == 1 { power *= square }
            square *= square
            rest >>= 1
        }
        return .value(Scale(decimal: -2).value(of: Int64((power - 1) * 100 + 0.5)))
    }
}
