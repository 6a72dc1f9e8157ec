/// A frame of an Eddystone beacon: an identity, a URL, or telemetry. The service data of 0xFEAA.
///
/// The source is Google's protocol specification of Eddystone. ``Broadcast`` chooses the format of an advertisement for
/// you.
public struct Eddystone: Sendable, Hashable {
    /// The number of the service data.
    public static let service = BluetoothUUID(0xFEAA)

    /// The kind of a frame, and the fields of its measurements.
    public enum Frame: String, Sendable {
        /// `tx_power`, `namespace` and `instance`.
        case uid
        /// `tx_power` and `url`.
        case url
        /// `battery_voltage` in V, `temperature` in °C, `advertising_count`, and `uptime` in s.
        case tlm
        /// `tx_power` and `eid`, an identity that changes, and that only the beacon's owner can resolve.
        case eid
    }

    /// The kind of this frame.
    public let frame: Frame
    /// The values of this frame. `tx_power`, in dBm, is the signal strength at the beacon.
    public let measurements: [Measurement]

    /// Decodes a frame.
    ///
    /// - Throws: `short`, `long`, `version` for encrypted telemetry, or `format` for another kind of frame or a byte that
    ///   isn't part of a URL.
    public init(_ bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes, endian: .big)
        let code = UInt8(truncatingIfNeeded: try reader.unsigned(bits: 8))
        switch code {
        case 0x00: (frame, measurements) = (.uid, try Self.identity(&reader))
        case 0x10: (frame, measurements) = (.url, try Self.address(&reader))
        case 0x20: (frame, measurements) = (.tlm, try Self.telemetry(&reader))
        case 0x30: (frame, measurements) = (.eid, try Self.ephemeral(&reader))
        default: throw .format(code)
        }
        try reader.finish()
    }

    private static func power(_ reader: inout ByteReader) throws(DecodeError) -> Measurement {
        Measurement(field: "tx_power", value: .integer(try reader.signed(bits: 8)), unit: "dBm")
    }

    /// Reads a `uid` frame. Some beacons leave out the two reserved bytes at its end.
    private static func identity(_ reader: inout ByteReader) throws(DecodeError) -> [Measurement] {
        let power = try power(&reader)
        let namespace = Measurement(field: "namespace", .hex(try reader.bytes(10)), unit: nil)
        let instance = Measurement(field: "instance", .hex(try reader.bytes(6)), unit: nil)
        if !reader.isAtEnd { _ = try reader.bytes(2) }
        return [power, namespace, instance]
    }

    private static func ephemeral(_ reader: inout ByteReader) throws(DecodeError) -> [Measurement] {
        [try power(&reader), Measurement(field: "eid", .hex(try reader.bytes(8)), unit: nil)]
    }

    // MARK: TLM

    private static let telemetryFields =
        Field.list(
            notation: """
                battery_voltage uint16 *1e-3 V 0=unknown; temperature sint16 /256 °C 0x8000=unknown; \
                advertising_count uint32; uptime uint32 *1e-1 s
                """) ?? []

    private static func telemetry(_ reader: inout ByteReader) throws(DecodeError) -> [Measurement] {
        let version = UInt8(truncatingIfNeeded: try reader.unsigned(bits: 8))
        guard version == 0 else { throw .version(version) }
        return try telemetryFields.decode(&reader).map { $0.limited(in: .eddystone) }
    }

    // MARK: URL

    private static let schemes = ["http://www.", "https://www.", "http://", "https://"]
    private static let endings = [".com", ".org", ".edu", ".net", ".info", ".biz", ".gov"]

    private static func address(_ reader: inout ByteReader) throws(DecodeError) -> [Measurement] {
        let power = try power(&reader)
        let scheme = try reader.unsigned(bits: 8)
        guard scheme < schemes.count else { throw .format(UInt8(truncatingIfNeeded: scheme)) }
        var url = schemes[Int(scheme)]
        for byte in try reader.bytes() {
            switch byte {
            case 0...6: url += endings[Int(byte)] + "/"
            case 7...13: url += endings[Int(byte) - 7]
            case 0x21...0x7E: url.unicodeScalars.append(Unicode.Scalar(byte))
            default: throw .format(byte)
            }
        }
        return [power, Measurement(field: "url", value: .text(url))]
    }
}
