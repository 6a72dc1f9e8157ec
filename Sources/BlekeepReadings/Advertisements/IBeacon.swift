/// Apple's beacon: who it is, and how strongly it is heard a metre away. Manufacturer data of company 0x004C.
public struct IBeacon: Sendable, Hashable {
    public static let company: UInt16 = 0x004C

    /// `uuid`, `major`, `minor` and `tx_power`.
    public let measurements: [Measurement]

    /// Whether this is no other of Apple's many messages.
    static func isOne(_ octets: [UInt8]) -> Bool { octets.starts(with: [0x02, 0x15]) }

    /// - Throws: `short`, `long`, or `format` for another of Apple's messages.
    public init(_ octets: [UInt8]) throws(DecodeError) {
        var reader = OctetReader(octets, endian: .big)
        let kind = try reader.unsigned(bits: 16)
        guard kind == 0x0215 else { throw .format(UInt8(truncatingIfNeeded: kind >> 8)) }
        let uuid = BluetoothUUID(high: try reader.unsigned(bits: 64), low: try reader.unsigned(bits: 64))
        let major = try reader.unsigned(bits: 16)
        let minor = try reader.unsigned(bits: 16)
        let power = try reader.signed(bits: 8)
        try reader.finish()
        measurements = [
            Measurement(field: "uuid", value: .text(uuid.full)),
            Measurement(field: "major", value: .integer(Int64(major))),
            Measurement(field: "minor", value: .integer(Int64(minor))),
            Measurement(field: "tx_power", value: .integer(power), unit: "dBm"),
        ]
    }
}
