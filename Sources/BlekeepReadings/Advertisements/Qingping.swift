/// A packet of a Qingping sensor: values with their numbers and lengths. The service data of 0xFDCD.
///
/// The source is the parser of Home Assistant's qingping-ble 1.3.0, which follows Qingping's own protocol. blekeep takes
/// packets of all products.
enum Qingping {
    static let service = BluetoothUUID(0xFDCD)

    /// Bit 6 of the first byte: the packet tells of an event, such as motion.
    private static let event: UInt64 = 0x40

    static let fields: [UInt64: Substring] = [
        0x01: "temperature sint16 *1e-1 °C; humidity uint16 *1e-1 %",
        0x02: "battery uint8 %",
        0x07: "pressure uint16 *10 Pa",
        0x08: "motion uint8 bool; illuminance uint24 lx",
        0x09: "illuminance uint32 lx",
        0x0F: "packet_id uint8",
        0x11: "light uint8 bool",
        0x12: "pm2_5 uint16 µg/m³; pm10 uint16 µg/m³",
        0x13: "co2 uint16 ppm",
        0x15: "voc_index uint16",
        0x19: "noise uint8 dB",
    ]

    /// - Throws: `short`.
    static func decode(_ input: BroadcastInput) throws(DecodeError) -> Broadcast? {
        var reader = ByteReader(input.bytes)
        let control = try reader.unsigned(bits: 8)
        // The product, and the address, which is that of the device or of the sensor behind it.
        _ = try reader.bytes(7)
        var values: [Measurement] = []
        while !reader.isAtEnd {
            // The last value may be cut off.
            guard let id = try? reader.unsigned(bits: 8), let length = try? reader.unsigned(bits: 8),
                let content = try? reader.bytes(Int(length))
            else { break }
            values += decode(id, content: content, isEvent: control & event != 0)
        }
        return .sensor(SensorPacket(.qingping, values))
    }

    /// - Returns: nothing for unknown values, and for values of another length.
    private static func decode(_ id: UInt64, content: ArraySlice<UInt8>, isEvent: Bool) -> [Measurement] {
        if id == 0x04 { return content.count == 1 ? door(content.first) : [] }
        guard let notation = fields[id], let values = try? SensorFields.decode(notation, bytes: content) else {
            return []
        }
        switch id {
        // 255 stands for external power.
        case 0x02 where content.first == 0xFF: return [Measurement(field: "battery", value: .integer(100), unit: "%")]
        // In an event, the bytes after the motion aren't light.
        case 0x08: return isEvent ? Array(values.prefix(1)) : values
        default: return values
        }
    }

    /// 0 is open, 1 is closed, 2 is open for too long.
    private static func door(_ state: UInt8?) -> [Measurement] {
        [
            SensorFields.flag("door", value: state == 0 || state == 2),
            SensorFields.flag("door_left_open", value: state == 2),
        ]
    }
}
