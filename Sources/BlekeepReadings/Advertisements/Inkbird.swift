/// A packet of an Inkbird thermometer. Manufacturer data whose company number is part of the values in most models, so
/// that these are recognized by their name.
///
/// The source is the parser of Home Assistant's inkbird-ble 1.7.1. As there, a packet with an impossible humidity or
/// charge is ignored.
enum Inkbird {
    /// The numbers that a model with a longer packet, and the IAM-T2, always have.
    static let companies: [UInt16] = [0x2449, 0x3254]
    static let names = ["sps", "tps", "iBBQ", "xBBQ", "ITH-11-B", "ITH-13-B", "ITH-21-B", "IBS-P02B", "Ink@IAM-T2"]

    static let service = BluetoothUUID(0xFFF0)
    private static let longNames: Set = ["ith-11-b", "ith-13-b", "ith-21-b", "ibs-p02b"]

    /// If a user chose the format, and the name is none of the known ones, the length tells the models apart. Then four
    /// probes look like one sensor.
    static func decode(_ input: BroadcastInput) throws(DecodeError) -> Broadcast? {
        guard input.company != nil else { return nil }
        let bytes = input.bytesWithCompany
        let name = (input.data.name ?? "").lowercased()
        // Without its name, an iBBQ has its address in the packet.
        let isBarbecue =
            name.firstRange(of: "ibbq") != nil || name.firstRange(of: "xbbq") != nil
            || name.isEmpty && input.company == 0 && input.data.services.contains(service)
                && bytes.dropFirst(4).starts(with: input.data.address.bytes)
        let isNamed = isBarbecue || ["sps", "tps", "ink@iam-t2"].contains(name) || longNames.contains(name)
        let isNameless = !isNamed && input.isChosen
        let values: [Measurement]?
        switch bytes.count {
        case 9 where ["sps", "tps"].contains(name) || isNameless: values = try short(bytes, hasHumidity: name == "sps")
        case 12, 14, 18, 22:
            if isBarbecue || isNameless && bytes.count != 18 {
                values = try barbecue(bytes)
            } else {
                values = bytes.count == 18 && (isLong(input, name: name) || isNameless) ? try long(bytes) : nil
            }
        case 17 where isAirMonitor(input, name: name) || isNameless: values = try airMonitor(bytes)
        default: values = nil
        }
        return values.map { .sensor(SensorPacket(.inkbird, $0)) }
    }

    private static func isLong(_ input: BroadcastInput, name: String) -> Bool {
        longNames.contains(name)
            || (input.company == companies[0] && input.data.services.contains(service)
                && input.bytes.suffix(3).allSatisfy { $0 == 0 })
    }

    private static func isAirMonitor(_ input: BroadcastInput, name: String) -> Bool {
        name == "ink@iam-t2" || input.company == companies[1] && input.bytes.starts(with: [0x00, 0x62])
    }

    /// IBS-TH and IBS-TH2. The IBS-P01B has the name of the latter, and 0 or 0xFFFF as its humidity.
    private static func short(_ bytes: [UInt8], hasHumidity: Bool) throws(DecodeError) -> [Measurement]? {
        let values = try SensorFields.decode("temperature sint16 *1e-2 °C; humidity uint16 *1e-2 %", bytes: bytes[..<4])
        let humidity = Int(bytes[2]) | Int(bytes[3]) << 8
        let isFitted = hasHumidity || humidity != 0 && humidity != 0xFFFF
        guard bytes[7] <= 100, humidity <= 10_000 || !isFitted else { return nil }
        return values.prefix(isFitted ? 2 : 1) + [charge(bytes[7])]
    }

    /// ITH-11-B, ITH-13-B, ITH-21-B, and IBS-P02B, which measures no humidity and sends 0.
    private static func long(_ bytes: [UInt8]) throws(DecodeError) -> [Measurement]? {
        let values = try SensorFields.decode(
            "temperature sint16 *1e-1 °C; humidity uint16 *1e-1 %", bytes: bytes[6..<10])
        let humidity = Int(bytes[8]) | Int(bytes[9]) << 8
        guard bytes[10] <= 100, humidity <= 1000 else { return nil }
        return values.prefix(humidity == 0 ? 1 : 2) + [charge(bytes[10])]
    }

    /// IAM-T2. The encoding of its charge isn't known.
    private static func airMonitor(_ bytes: [UInt8]) throws(DecodeError) -> [Measurement]? {
        var values = try SensorFields.decode(
            "temperature sint16 *1e-1 °C; humidity uint16 *1e-1 %; co2 uint16 ppm", bytes: bytes[10..<16], endian: .big)
        guard Int(bytes[12]) << 8 | Int(bytes[13]) <= 1000 else { return nil }
        if bytes[9] & 2 != 0, case .number(let fahrenheit)? = values[0].value {
            values[0] = SensorFields.rounded("temperature", number: (fahrenheit - 32) * 5 / 9, unit: "°C")
        }
        return values
    }

    /// iBBQ and xBBQ with one, two, four or six probes. 0xFFFF or 0xFFF6 stands for a missing probe.
    private static func barbecue(_ bytes: [UInt8]) throws(DecodeError) -> [Measurement] {
        let probes = (bytes.count - 10) / 2
        let notation = (1...probes).map { "temperature_probe_\($0) sint16 *1e-1 °C -1=unknown -10=unknown" }.joined(
            separator: "; ")
        return try SensorFields.decode(Substring(notation), bytes: bytes.dropFirst(10))
    }

    private static func charge(_ percent: UInt8) -> Measurement {
        Measurement(field: "battery", value: .integer(Int64(percent)), unit: "%")
    }
}
