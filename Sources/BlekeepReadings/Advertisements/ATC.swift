/// A packet of the custom firmware for Xiaomi's thermometers, in atc1441's format or in pvvx's, plain or encrypted. The
/// service data of 0x181A.
///
/// The source is the description of the formats in the README of pvvx/ATC_MiThermometer on GitHub. The length tells the
/// formats apart. A packet with the address of another device is ignored.
enum ATC {
    static let service = BluetoothUUID(0x181A)

    private static let plain = PacketLayout.list(PlainFormatTable.texts[.atc] ?? "")

    static func decode(_ input: BroadcastInput) throws(DecodeError) -> Broadcast? {
        let bytes = input.bytes
        let values: [Measurement]
        switch bytes.count {
        case 11: values = try decrypt(pvvx, input: input)
        case 8: values = try decrypt(atc1441, input: input)
        default:
            for layout in plain {
                if let values = try layout.decode(input) { return .sensor(SensorPacket(.atc, values)) }
            }
            return nil
        }
        return .sensor(SensorPacket(.atc, values, counter: PacketCounter(value: UInt32(bytes[0]), bits: 8)))
    }

    // The last byte has the state of pins, to which most users connect nothing.
    private static let pvvx = PacketLayout.fields(
        "temperature sint16 *1e-2 °C; humidity uint16 *1e-2 %; battery uint8 %; _pins uint8")
    private static let atc1441 = PacketLayout.fields(
        "temperature uint8 *5e-1 +-400 °C; humidity uint8 *5e-1 %; battery uint7 %; _pin uint1")

    private static func decrypt(_ fields: [RecipeField], input: BroadcastInput) throws(DecodeError) -> [Measurement] {
        guard let key = input.key else { throw .key }
        let bytes = input.bytes
        // The nonce has the head of the advertisement: its length, its type and the service.
        let head: [UInt8] = [UInt8(bytes.count + 3), 0x16, 0x1A, 0x18]
        let text = try AESCCM.decrypt(
            bytes.dropFirst().dropLast(4), tag: bytes.suffix(4),
            nonce: input.data.address.bytes.reversed() + head + [bytes[0]], associated: [0x11], key: key)
        return try SensorFields.decode(fields, bytes: text)
    }
}
