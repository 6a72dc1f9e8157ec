/// An iBeacon: its identity, and its signal strength. The manufacturer data of Apple, company 0x004C.
///
/// The source is Apple's Proximity Beacon Specification. ``Broadcast`` chooses the format of an advertisement for you.
public struct IBeacon: Sendable, Hashable {
    /// Apple's company number.
    public static let company: UInt16 = 0x004C

    /// `uuid`, `major`, `minor`, and `tx_power`: the signal strength at one meter, in dBm.
    public let measurements: [Measurement]

    /// Whether the bytes begin as an iBeacon, and not as another message from Apple.
    static func matches(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x02, 0x15]) }

    /// Decodes an iBeacon. Its second byte says that 21 bytes follow; what comes after these is ignored.
    ///
    /// - Throws: `short`, or `format` for another message from Apple.
    public init(_ bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes, endian: .big)
        let kind = try reader.unsigned(bits: 16)
        guard kind == 0x0215 else { throw .format(UInt8(truncatingIfNeeded: kind >> 8)) }
        let uuid = BluetoothUUID(high: try reader.unsigned(bits: 64), low: try reader.unsigned(bits: 64))
        let major = try reader.unsigned(bits: 16)
        let minor = try reader.unsigned(bits: 16)
        let power = try reader.signed(bits: 8)
        measurements = [
            Measurement(field: "uuid", value: .text(uuid.full)),
            Measurement(field: "major", value: .integer(Int64(major))),
            Measurement(field: "minor", value: .integer(Int64(minor))),
            Measurement(field: "tx_power", value: .integer(power), unit: "dBm"),
        ]
    }
}
