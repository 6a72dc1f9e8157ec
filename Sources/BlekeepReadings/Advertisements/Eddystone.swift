/// Google's beacon: an identity, a web address, or how the beacon itself fares. Service data of 0xFEAA.
public struct Eddystone: Sendable, Hashable {
    public static let service = BluetoothUUID(0xFEAA)

    /// What a packet can be.
    public enum Frame: String, Sendable {
        /// `tx_power`, `namespace` and `instance`.
        case uid
        /// `tx_power` and `url`.
        case url
        /// `battery_voltage`, `temperature`, `advertising_count` and `uptime`.
        case tlm
        /// `tx_power` and `eid`, an identity that changes and that only its owner can resolve.
        case eid
    }

    public let frame: Frame
    public let measurements: [Measurement]

    /// - Throws: `short`, `long`, `format` for another frame or an octet that no web address has, or `version` for an
    ///   encrypted TLM.
    public init(_ octets: [UInt8]) throws(DecodeError) {
        var reader = OctetReader(octets, endian: .big)
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

    private static func power(_ reader: inout OctetReader) throws(DecodeError) -> Measurement {
        Measurement(field: "tx_power", value: .integer(try reader.signed(bits: 8)), unit: "dBm")
    }

    /// With or without the two octets at the end that are reserved.
    private static func identity(_ reader: inout OctetReader) throws(DecodeError) -> [Measurement] {
        let power = try power(&reader)
        let namespace = Measurement(field: "namespace", .hex(try reader.octets(10)), unit: nil)
        let instance = Measurement(field: "instance", .hex(try reader.octets(6)), unit: nil)
        if !reader.isAtEnd { _ = try reader.octets(2) }
        return [power, namespace, instance]
    }

    private static func ephemeral(_ reader: inout OctetReader) throws(DecodeError) -> [Measurement] {
        [try power(&reader), Measurement(field: "eid", .hex(try reader.octets(8)), unit: nil)]
    }

    // MARK: TLM

    private static let telemetryFields =
        Field.list(
            notation: """
                battery_voltage uint16 *1e-3 V 0=unknown; temperature sint16 /256 °C 0x8000=unknown; \
                advertising_count uint32; uptime uint32 *1e-1 s
                """) ?? []

    private static func telemetry(_ reader: inout OctetReader) throws(DecodeError) -> [Measurement] {
        let version = UInt8(truncatingIfNeeded: try reader.unsigned(bits: 8))
        guard version == 0 else { throw .version(version) }
        return try telemetryFields.decode(&reader)
    }

    // MARK: URL

    private static let schemes = ["http://www.", "https://www.", "http://", "https://"]
    private static let endings = [".com", ".org", ".edu", ".net", ".info", ".biz", ".gov"]

    private static func address(_ reader: inout OctetReader) throws(DecodeError) -> [Measurement] {
        let power = try power(&reader)
        let scheme = try reader.unsigned(bits: 8)
        guard scheme < schemes.count else { throw .format(UInt8(truncatingIfNeeded: scheme)) }
        var url = schemes[Int(scheme)]
        for octet in try reader.octets() {
            switch octet {
            case 0...6: url += endings[Int(octet)] + "/"
            case 7...13: url += endings[Int(octet) - 7]
            case 0x21...0x7E: url.unicodeScalars.append(Unicode.Scalar(octet))
            default: throw .format(octet)
            }
        }
        return [power, Measurement(field: "url", value: .text(url))]
    }
}
