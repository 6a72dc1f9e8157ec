/// A packet of a Govee thermometer. Manufacturer data of several numbers, of which none is Govee's.
///
/// The source is the parser of Home Assistant's govee-ble 1.5.2. The name tells models with the same length apart;
/// without it, the company number does. The packets of H5121 to H5126 and H5130 are encrypted with a key that they contain.
enum Govee {
    static let names = ["GVH5", "GV51", "Govee_H5", "ihoment_H5", "B5178"]
    static let companies = Set(models.flatMap(\.companies)).sorted()
    /// Those of the barbecue thermometers, whose numbers are part of their addresses, and of the other models.
    static let services = models.compactMap(\.service).map { BluetoothUUID($0) } + [BluetoothUUID(0xEC88)]

    /// A group of models with the same packet.
    struct Model: Sendable {
        let lengths: ClosedRange<Int>
        var companies: [UInt16] = []
        var names: [String] = []
        var service: UInt16?
        var starts: [[UInt8]] = []
        /// The bytes from the third on that a packet of another layout has.
        var never: [UInt8] = []
        fileprivate let content: Content

        func fits(_ bytes: [UInt8]) -> Bool {
            lengths.contains(bytes.count) && (starts.isEmpty || starts.contains { bytes.starts(with: $0) })
                && (never.isEmpty || !bytes.dropFirst(2).starts(with: never))
        }

        /// Reads a packet that fits.
        func decode(_ bytes: [UInt8]) throws(DecodeError) -> [Measurement]? { try values(bytes, content: content) }

        func hasName(of data: AdvertisedData) -> Bool {
            data.name.map { name in names.contains { name.firstRange(of: $0) != nil } } ?? false
        }

        func hasSource(_ company: UInt16, of data: AdvertisedData) -> Bool {
            companies.contains(company) || service.map { data.services.contains(BluetoothUUID($0)) } == true
        }

        /// Whether nothing but the length tells the model. The other models have fixed numbers.
        var hasAnyCompany: Bool { companies.isEmpty || service != nil }
    }

    fileprivate enum Content: Sendable {
        /// Temperature and humidity in three bytes from this one, and the battery.
        case packed(from: Int)
        /// The same, with CO₂ instead of the battery.
        case packedAir
        /// The same for one of two probes.
        case packedProbe
        /// The same for the sensor or its remote one.
        case packedRemote
        /// Temperature, humidity and particles in four bytes.
        case particles
        case fields(from: Int, Substring, Endian)
        /// Two of four probes, by byte 6.
        case twoOfFour(Substring)
        case presence
        /// Doors, motion, vibration and buttons.
        case hidden
        /// Two of six probes, by byte 3.
        case twoOfSix
    }

    private static let climate: Substring = "temperature sint16 *1e-2 °C; humidity uint16 *1e-2 %; battery uint8 %"

    // In the order of govee-ble: the first model counts. A name ends with digits of the address, which `H` or `GV` in front
    // keeps apart from those of a model.
    static let models = [
        Model(
            lengths: 6...6, companies: [0x8803, 0x8843], names: ["H5127"],
            starts: [[0xEC, 0, 1, 1], [0xEC, 0, 2, 1]], content: .presence),
        Model(lengths: 6...6, companies: [0xEC88], names: ["H5072", "H5075", "H5129"], content: .packed(from: 1)),
        Model(lengths: 8...8, names: ["H5112", "GV5112"], content: .packedProbe),
        Model(lengths: 8...8, names: ["H5140", "GV5140"], content: .packedAir),
        Model(lengths: 8...8, companies: [0x0001], names: rooms, content: .packed(from: 2)),
        Model(lengths: 6...6, names: rooms, starts: [[1, 1]], content: .packed(from: 2)),
        Model(lengths: 7...7, companies: [0xEC88], names: ["H5074"], content: .fields(from: 1, climate, .little)),
        Model(
            lengths: 9...9, companies: [0xEC88], names: ["H5051", "H5052", "H5071"],
            content: .fields(from: 1, climate, .little)),
        Model(lengths: 9...9, companies: [0x0001], names: ["H5178", "B5178"], content: .packedRemote),
        Model(lengths: 9...9, companies: [0x8801], names: ["H5179"], content: .fields(from: 4, climate, .little)),
        Model(
            lengths: 14...14, companies: [0xF861, 0x388A, 0xEA42, 0xAAA2, 0xD14B], names: ["H5181"], service: 0x8151,
            content: .fields(from: 8, probe(1), .big)),
        Model(
            lengths: 17...17, companies: [0x2730], names: ["H5182"], service: 0x8251,
            content: .fields(from: 8, probe(1) + "; unused uint8; " + probe(2), .big)),
        Model(
            lengths: 14...14, companies: [0x67DD, 0xE02F, 0xF79F], names: ["H5183"], service: 0x8351,
            content: .fields(from: 8, probe(1), .big)),
        Model(
            lengths: 17...17, companies: [0x1B36], names: ["H5184"], service: 0x8451,
            content: .twoOfFour("unused uint8")),
        Model(
            lengths: 20...20, companies: [0x4A32, 0x0332, 0x4C32], names: ["H5185"], service: 0x8551,
            content: .fields(from: 8, probe(1) + "; unused uint16; " + probe(2), .big)),
        Model(
            lengths: 20...20, companies: [0xAC63], names: ["H5191"], service: 0x9151,
            content: .fields(from: 8, probe(1) + "; unused uint16; temperature sint16 *1e-2 °C", .big)),
        Model(
            lengths: 20...20, companies: [0x3022], names: ["H5198"], service: 0x9851,
            content: .twoOfFour("low_temperature_alarm_probe_N sint16 *1e-2 °C 0...32767")),
        Model(lengths: 6...6, names: ["H5106"], content: .particles),
        Model(
            lengths: 24...24, companies: [0xEF88],
            names: ["5121", "5122", "5123", "5124", "5125", "5126", "5130"].flatMap { ["H" + $0, "GV" + $0] },
            content: .hidden),
        // Newer ones begin like the other barbecue thermometers. Nothing public says how they number their probes.
        Model(
            lengths: 20...20, companies: [0xEA1C], names: ["H5055"], service: 0x5550, never: [0x00, 0x01, 0x01, 0xE4],
            content: .twoOfSix),
    ]

    private static let rooms = [
        "H5108", "H5100", "H5101", "H5102", "H5103", "H5104", "H5105", "H5174", "H5177", "H5110", "GV5179",
    ]

    /// A negative number stands for a missing probe, or for an alarm that isn't set.
    private static func probe(_ number: Int) -> Substring {
        """
        temperature_probe_\(number) sint16 *1e-2 °C 0...32767; \
        temperature_alarm_probe_\(number) sint16 *1e-2 °C 0...32767
        """
    }

    /// Returns the models of which a packet may be. The name tells the model, or else the company number or the service. If a
    /// user chose the format, the length does.
    static func candidates(_ bytes: [UInt8], _ input: BroadcastInput) -> [Model] {
        guard let company = input.company, company != IBeacon.company else { return [] }
        let fitting = models.filter { $0.fits(bytes) }
        let named = fitting.filter { $0.hasName(of: input.data) }
        if !named.isEmpty { return named }
        let sourced = fitting.filter { $0.hasSource(company, of: input.data) }
        if !sourced.isEmpty || !input.isChosen { return sourced }
        return Array(fitting.filter(\.hasAnyCompany).prefix(1))
    }

    static func decode(_ input: BroadcastInput) throws(DecodeError) -> Broadcast? {
        let bytes = trimmed(input.bytes)
        return try candidates(bytes, input).first?.decode(bytes).map { .sensor(SensorPacket(.govee, $0)) }
    }

    /// Some models let an iBeacon follow their own bytes.
    static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        let mark = Array("INTELLI_ROCKS".utf8)
        guard bytes.count > 25, bytes.firstRange(of: mark) != nil else { return bytes }
        return bytes.dropLast(25)
    }

    private static func values(_ bytes: [UInt8], content: Content) throws(DecodeError) -> [Measurement]? {
        switch content {
        case .packed(let start):
            return packed(bytes[start...], isInvalid: bytes[start + 3] & 0x80 != 0) + [battery(bytes[start + 3])]
        case .packedAir:
            let isInvalid = bytes[7] != 0
            let climate = packed(bytes[2...], isInvalid: isInvalid)
            let co2 = FieldValue.value(.integer(Int64(bytes[5]) << 8 | Int64(bytes[6])))
            let isWrong = climate.contains { $0.state != nil }
            return climate + [Measurement(field: "co2", isWrong ? .state("invalid") : co2, unit: "ppm")]
        case .packedProbe:
            guard let probe = [0x41: 1, 0x82: 2][bytes[7]] else { return nil }
            // Only the first probe measures humidity.
            let values = packed(bytes[2...], isInvalid: bytes[5] & 0x80 != 0, suffix: "_probe_\(probe)")
            return values.prefix(probe == 1 ? 2 : 1) + [battery(bytes[5])]
        case .packedRemote:
            guard bytes[2] < 2 else { return nil }
            let suffix = bytes[2] == 1 ? "_remote" : ""
            return packed(bytes[3...], isInvalid: bytes[6] & 0x80 != 0, suffix: suffix)
                + [battery(bytes[6], suffix: suffix)]
        case .particles: return particles(bytes)
        case .fields(let start, let notation, let endian):
            var reader = ByteReader(Array(bytes[start...]), endian: endian)
            return try SensorFields.decode(notation, from: &reader).filter { $0.field != "unused" }
        case .twoOfFour(let between): return try twoOfFour(bytes, between: between)
        case .hidden: return try hidden(bytes)
        case .twoOfSix: return try twoOfSix(bytes)
        case .presence:
            return [
                SensorFields.flag("occupancy", value: bytes[4] == 1),
                SensorFields.flag("motion", value: bytes[5] == 17),
            ]
        }
    }

    // MARK: H5121 to H5130

    /// Bytes 2 to 5 are the key, and 16 encrypted bytes with a checksum follow. All are in reverse order.
    private static func hidden(_ bytes: [UInt8]) throws(DecodeError) -> [Measurement]? {
        let secret = Array(bytes[6..<22])
        guard checksum(secret) == UInt16(bytes[22]) << 8 | UInt16(bytes[23]) else { return nil }
        let key = [UInt8](repeating: 0, count: 12) + bytes[2..<6].reversed()
        let text = Array(try AESCCM.decryptBlock(secret.reversed(), key: key).reversed())
        let (model, state) = (text[2], text[5])
        var values = [Measurement(field: "battery", value: .integer(Int64(text[4])), unit: "%")]
        func press(_ button: UInt8) { values.append(Measurement(field: "button_\(button)", value: .text("press"))) }
        switch model {
        case 2: values.append(SensorFields.flag("window", value: state == 2))
        case 3: if state == 1 { values.append(SensorFields.flag("motion", value: true)) }
        case 9: if state == 1 { values.append(SensorFields.flag("vibration", value: true)) }
        case 8, 10, 11: press(state)
        case 13:
            if state & 0x10 != 0 { press(0) }
            if state != 0x10 { values.append(SensorFields.flag("presence", value: state & 1 != 0)) }
        default: return nil
        }
        return values
    }

    /// CRC-16 with the polynomial 0x1021, from 0x1D0F.
    private static func checksum(_ bytes: [UInt8]) -> UInt16 {
        bytes.reduce(0x1D0F) { sum, byte in
            (0..<8).reduce(sum ^ UInt16(byte) << 8) { sum, _ in sum & 0x8000 != 0 ? sum << 1 ^ 0x1021 : sum << 1 }
        }
    }

    // MARK: Probes

    /// The H5055 sends its probes in turn: a byte, the temperature, and the lower and upper alarms, twice. Byte 3 says which
    /// two these are, and in its low bits which of all six are plugged in; the values of others are old ones.
    private static func twoOfSix(_ bytes: [UInt8]) throws(DecodeError) -> [Measurement]? {
        let pair = Int(bytes[3] >> 6)
        guard pair < 3 else { return nil }
        var reader = ByteReader(Array(bytes[4...]))
        var values: [Measurement] = []
        for probe in (2 * pair + 1)...(2 * pair + 2) {
            let notation = ["temperature", "low_temperature_alarm", "temperature_alarm"].map {
                "\($0)_probe_\(probe) sint16 °C 0xFFFF=unknown"
            }
            let fields = try SensorFields.decode(
                Substring("unused uint8; " + notation.joined(separator: "; ")), from: &reader)
            if bytes[3] >> (probe - 1) & 1 != 0 { values += fields }
        }
        return values.filter { $0.field != "unused" }
            + [Measurement(field: "battery", value: .integer(Int64(bytes[2] & 0x7F)), unit: "%")]
    }

    // MARK: Values

    /// A sign, then a number: its thousands are tenths of a degree, the rest is tenths of a percent.
    private static func packed(_ bytes: ArraySlice<UInt8>, isInvalid: Bool, suffix: String = "") -> [Measurement] {
        let number = bytes.prefix(3).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let size = number & 0x7FFFFF
        let tenths = number & 0x800000 != 0 ? -(size / 1000) : size / 1000
        let isWrong = isInvalid || !(-400...1000).contains(tenths)
        func tenth(_ field: String, raw: Int64, unit: String) -> Measurement {
            let value = isWrong ? FieldValue.state("invalid") : .value(Scale(decimal: -1).value(of: raw))
            return Measurement(field: field + suffix, value, unit: unit, decimals: 1)
        }
        return [tenth("temperature", raw: tenths, unit: "°C"), tenth("humidity", raw: size % 1000, unit: "%")]
    }

    private static func battery(_ byte: UInt8, suffix: String = "") -> Measurement {
        Measurement(field: "battery" + suffix, value: .integer(Int64(byte & 0x7F)), unit: "%")
    }

    /// Millions are tenths of a degree, thousands are tenths of a percent, the rest is µg/m³.
    private static func particles(_ bytes: [UInt8]) -> [Measurement] {
        let number = bytes[2..<6].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let size = number & 0x7FFF_FFFF
        let tenths = size / 1_000_000
        let scale = Scale(decimal: -1)
        return [
            Measurement(
                field: "temperature", value: scale.value(of: number == size ? tenths : -tenths), unit: "°C",
                decimals: 1),
            Measurement(field: "humidity", value: scale.value(of: size % 1_000_000 / 1000), unit: "%", decimals: 1),
            Measurement(field: "pm2_5", value: .integer(size % 1000), unit: "µg/m³"),
        ]
    }

    private static func twoOfFour(_ bytes: [UInt8], between: Substring) throws(DecodeError) -> [Measurement]? {
        // The high bits say which probes are plugged in.
        guard let first = [1: 1, 2: 3][bytes[6] & 0x3F] else { return nil }
        func notation(_ number: Int) -> String {
            let low = between.split(separator: "N", omittingEmptySubsequences: false).joined(separator: "\(number)")
            return "\(probe(number)); \(low)"
        }
        var reader = ByteReader(Array(bytes[8...]) + [0], endian: .big)
        return try SensorFields.decode(Substring(notation(first) + "; " + notation(first + 1)), from: &reader)
            .filter { $0.field != "unused" }
    }
}
