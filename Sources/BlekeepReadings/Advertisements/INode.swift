/// A packet of an iNode energy meter. Manufacturer data whose company number says the model: 0x82 is the meter.
///
/// The source is ble_monitor at 56902202, which follows iNode's own description, and Theengs. What the impulses of the meter
/// mean is in the packet, too: the number of them for a kWh or m³.
enum INode {
    static let companies: [UInt16] = [0x8290, 0x8292, 0x8294, 0x8296]

    static func decode(_ input: BroadcastInput) throws(DecodeError) -> Broadcast? {
        guard let company = input.company, companies.contains(company), input.bytes.count == 11 else { return nil }
        var reader = ByteReader(input.bytes)
        let average = Double(try reader.unsigned(bits: 16))
        let sum = Double(try reader.unsigned(bits: 32))
        let constant = try reader.unsigned(bits: 14)
        let kind = try reader.unsigned(bits: 2)
        let light = try reader.unsigned(bits: 4)
        let charge = Int64(try reader.unsigned(bits: 4))
        let lastDay = try reader.unsigned(bits: 13)
        let usual: UInt64 = kind == 0 ? 100 : kind == 1 ? 1000 : 1
        let impulses = Double(constant == 0 ? usual : constant)
        let percent = charge == 1 ? 100 : max(0, 10 * (min(charge, 11) - 1))
        var values: [Measurement]
        switch kind {
        case 0:
            values = [
                SensorFields.rounded("power", number: 60_000 * average / impulses, unit: "W"),
                SensorFields.rounded("energy", number: sum / impulses, unit: "kWh", decimals: 4),
            ]
        case 1:
            values = [
                SensorFields.rounded("volume_flow_rate", number: 60 * average / impulses, unit: "m³/h", decimals: 4),
                SensorFields.rounded("volume", number: sum / impulses, unit: "m³", decimals: 4),
            ]
        default:
            values = [
                SensorFields.rounded("count_per_minute", number: average / impulses, unit: nil),
                SensorFields.rounded("count", number: sum / impulses, unit: nil),
            ]
        }
        values += [
            Measurement(field: "battery", value: .integer(percent), unit: "%"),
            Measurement(
                field: "battery_voltage", value: Scale(multiplier: 12, decimal: -3).value(of: percent + 140), unit: "V",
                decimals: 3),
            SensorFields.rounded("light_level", number: Double(light) * 100 / 15, unit: "%"),
            Measurement(field: "last_day_count", value: .integer(Int64(lastDay))),
            SensorFields.flag("battery_low", value: company & 4 != 0),
        ]
        return .sensor(SensorPacket(.inode, values))
    }
}
