/// Descriptor 0x2904: how a characteristic says that its value is to be read.
public struct PresentationFormat: Sendable, Hashable {
    /// The format code, 1...28, such as 14 for `sint16`.
    public let format: UInt8
    /// The format's official name, such as `sint16`.
    public let formatName: String
    /// Value = integer · 10^exponent; of no meaning where the format is not an integer's.
    public let exponent: Int8
    public let unit: BluetoothUUID
    /// The unit's symbol; `nil` for a plain number, and for a unit that is not assigned.
    public let unitSymbol: String?
    /// Who has numbered the descriptions: 1 is the Bluetooth SIG.
    public let namespace: UInt8
    /// What tells the value from others of its characteristic, such as `front` or a number; 0 is unknown.
    public let description: UInt16

    /// Octets of a value; `nil` for any number.
    private let size: Int?
    private let isScaled: Bool

    /// The power of ten that applies to integers.
    var decimal: Int { isScaled ? Int(exponent) : 0 }

    /// The seven octets of the descriptor.
    /// - Throws: `short`, `long`, or `format` for a code that is reserved.
    public init(_ octets: [UInt8]) throws(DecodeError) {
        var reader = OctetReader(octets)
        format = UInt8(try reader.unsigned(bits: 8))
        exponent = Int8(try reader.signed(bits: 8))
        unit = BluetoothUUID(UInt16(try reader.unsigned(bits: 16)))
        namespace = UInt8(try reader.unsigned(bits: 8))
        description = UInt16(try reader.unsigned(bits: 16))
        try reader.finish()
        guard let row = FormatTable.table[UInt16(format)] else { throw .format(format) }
        formatName = String(row[1])
        size = Int(row[2])
        isScaled = row[3] == "x"
        unitSymbol = AssignedNumbers.unitSymbol(unit)
    }

    /// The value, as a field called `value`.
    ///
    /// Integers are `.integer`, and `.text` of their digits beyond ±2^53; with a negative exponent `.number`.
    /// A pair of `uint16` is a list; a structure is hex digits. Bits above those of a format such as `uint12` are
    /// ignored. Text that is none has the state `bad_utf8` or `bad_utf16`.
    /// - Throws: `short` or `long`.
    public func decode(_ octets: [UInt8]) throws(DecodeError) -> Measurement {
        if let size, octets.count != size { throw octets.count < size ? .short : .long }
        return Measurement(field: "value", try value(octets), unit: unitSymbol)
    }

    private func value(_ octets: [UInt8]) throws(DecodeError) -> FieldValue {
        var reader = OctetReader(octets)
        switch formatName {
        case "boolean": return .value(.boolean(try reader.unsigned(bits: 1) == 1))
        case "uint16[2]":
            let first = try reader.unsigned(bits: 16)
            return .value(.list([.integer(Int64(first)), .integer(Int64(try reader.unsigned(bits: 16)))]))
        case "utf8s": return .text(octets[...])
        case "utf16s": return try utf16(octets)
        case "struct", "medASN1": return .hex(octets)
        default: break
        }
        if let real = RealFormat(rawValue: formatName) {
            return real.value(of: try reader.unsigned(bits: real.bits))
        }
        return .value(integer(octets))
    }

    /// `uint2` to `sint128`.
    private func integer(_ octets: [UInt8]) -> MeasuredValue {
        let unused = 128 - min(128, Int(formatName.dropFirst(4)) ?? 128)
        let bits = octets.reversed().reduce(UInt128(0)) { $0 << 8 | UInt128($1) } << UInt128(unused)
        var decimal = ExactDecimal(magnitude: bits >> UInt128(unused), exponent: decimal)
        if formatName.hasPrefix("sint"), Int128(bitPattern: bits) < 0 {
            decimal.isNegative = true
            decimal.magnitude = (Int128(bitPattern: bits) >> Int128(unused)).magnitude
        }
        return decimal.exponent < 0 ? .number(decimal.nearest) : decimal.integer(within: 1 << 53)
    }

    /// UTF-16, least significant octet first, without the NULs that fill it up.
    private func utf16(_ octets: [UInt8]) throws(DecodeError) -> FieldValue {
        guard octets.count.isMultiple(of: 2) else { throw .short }
        var units = stride(from: 0, to: octets.count, by: 2).map { UInt16(octets[$0]) | UInt16(octets[$0 + 1]) << 8 }
        while units.last == 0 { units.removeLast() }
        return String(validating: units, as: UTF16.self).map { .value(.text($0)) } ?? .state("bad_utf16")
    }
}
