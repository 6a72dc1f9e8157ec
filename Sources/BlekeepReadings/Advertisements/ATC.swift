/// A packet of the custom firmware for Xiaomi's thermometers, in atc1441's format or in pvvx's, plain or encrypted. The
/// service data of 0x181A.
///
/// The source is the description of the formats in the README of pvvx/ATC_MiThermometer on GitHub. The length tells the
/// formats apart. A packet with the address of another device is ignored.
enum ATC {
    static let service = BluetoothUUID(0x181A)

    static func decode(_ input: BroadcastInput) throws(DecodeError) -> Broadcast? {
        let bytes = input.bytes
        let address = input.data.address.bytes
        switch bytes.count {
        case 15:
            guard bytes.prefix(6) == address.reversed()[...] else { return nil }
            return .sensor(SensorPacket(.atc, try values(pvvx, bytes: bytes.dropFirst(6))))
        case 13:
            guard bytes.prefix(6) == address[...] else { return nil }
            return .sensor(SensorPacket(.atc, try values(atc1441, bytes: bytes.dropFirst(6), endian: .big)))
        case 11, 8:
            let values = try decrypt(bytes.count == 11 ? pvvxSecret : atc1441Secret, input: input)
            return .sensor(SensorPacket(.atc, values, counter: PacketCounter(value: UInt32(bytes[0]), bits: 8)))
        default: return nil
        }
    }

    // The last byte of pvvx's formats has the state of pins, to which most users connect nothing.
    private static let pvvx: Substring = """
        temperature sint16 *1e-2 °C; humidity uint16 *1e-2 %; battery_voltage uint16 *1e-3 V; battery uint8 %; \
        packet_id uint8; flags uint8
        """
    private static let atc1441: Substring = """
        temperature sint16 *1e-1 °C; humidity uint8 %; battery uint8 %; battery_voltage uint16 *1e-3 V; packet_id uint8
        """
    private static let pvvxSecret: Substring = """
        temperature sint16 *1e-2 °C; humidity uint16 *1e-2 %; battery uint8 %; flags uint8
        """
    private static let atc1441Secret: Substring = """
        temperature uint8 *5e-1 +-400 °C; humidity uint8 *5e-1 %; battery uint7 %; flags uint1
        """

    private static func decrypt(
        _ notation: Substring, input: BroadcastInput
    ) throws(DecodeError) -> [Measurement] {
        guard let key = input.key else { throw .key }
        let bytes = input.bytes
        // The nonce has the head of the advertisement: its length, its type and the service.
        let head: [UInt8] = [UInt8(bytes.count + 3), 0x16, 0x1A, 0x18]
        let text = try AESCCM.decrypt(
            bytes.dropFirst().dropLast(4), tag: bytes.suffix(4),
            nonce: input.data.address.bytes.reversed() + head + [bytes[0]], associated: [0x11], key: key)
        return try values(notation, bytes: text)
    }

    private static func values(
        _ notation: Substring, bytes: some Sequence<UInt8>, endian: Endian = .little
    ) throws(DecodeError) -> [Measurement] {
        try SensorFields.decode(notation, bytes: bytes, endian: endian).filter { $0.field != "flags" }
    }
}
