/// The value of descriptor 0x2904, Characteristic Presentation Format: the format and the unit of a characteristic.
///
/// ```swift
/// guard let descriptor = characteristic.descriptors.first(where: { $0.uuid == BluetoothUUID(0x2904) }) else { return }
/// let format = try PresentationFormat(try await link.read(descriptor))
/// let measurement = try format.decode(try await link.read(characteristic))
/// ```
///
/// The source is the Bluetooth Core Specification, Vol 3, Part G, 3.3.3.5, and the SIG's Assigned Numbers.
public struct PresentationFormat: Sendable, Hashable {
    /// The format code, 1...28, such as 14 for `sint16`.
    public let format: UInt8
    /// The format's official name, such as `sint16`.
    public let formatName: String
    /// The power of ten of an integer: value = integer · 10^exponent. Other formats ignore it.
    public let exponent: Int8
    /// The number of the unit, such as 0x272F for degrees Celsius.
    public let unit: BluetoothUUID
    /// The unit's symbol, such as `°C`; `nil` for a plain number, and when the number isn't assigned.
    public let unitSymbol: String?
    /// The organization that assigned `description`; 1 is the Bluetooth SIG.
    public let namespace: UInt8
    /// A number for the value's role, such as `front`, assigned by `namespace`; 0 is unknown.
    public let description: UInt16

    /// The number of bytes of a value; `nil` for any number.
    private let size: Int?
    private let isScaled: Bool

    /// The power of ten that applies to integers.
    var decimal: Int { isScaled ? Int(exponent) : 0 }

    /// Decodes the seven bytes of the descriptor.
    ///
    /// - Throws: `short`, `long`, or `format` for a reserved code.
    public init(_ bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
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

    /// Decodes a value as a field called `value`.
    ///
    /// An integer becomes `.integer`, or `.text` beyond ±2^53, or `.number` with a negative exponent. A pair of `uint16`
    /// becomes a list, and a structure becomes hexadecimal digits. Unused bits, such as those above `uint12`, are
    /// ignored. Malformed text has the state `bad_utf8` or `bad_utf16`.
    ///
    /// - Throws: `short` or `long`, when the number of bytes doesn't match the format.
    public func decode(_ bytes: [UInt8]) throws(DecodeError) -> Measurement {
        if let size, bytes.count != size { throw bytes.count < size ? .short : .long }
        return Measurement(field: "value", try value(bytes), unit: unitSymbol, decimals: decimals)
    }

    /// The number of decimals that show each step; `nil` for whole numbers.
    private var decimals: Int? { decimal < 0 ? min(-decimal, 6) : nil }

    private func value(_ bytes: [UInt8]) throws(DecodeError) -> FieldValue {
        var reader = ByteReader(bytes)
        switch formatName {
        case "boolean": return .value(.boolean(try reader.unsigned(bits: 1) == 1))
        case "uint16[2]":
            let first = try reader.unsigned(bits: 16)
            return .value(.list([.integer(Int64(first)), .integer(Int64(try reader.unsigned(bits: 16)))]))
        case "utf8s": return .text(bytes[...])
        case "utf16s": return try utf16(bytes)
        case "struct", "medASN1": return .hex(bytes)
        default: break
        }
        if let real = RealFormat(rawValue: formatName) { return real.value(of: try reader.unsigned(bits: real.bits)) }
        return .value(integer(bytes))
    }

    /// Decodes `uint2` to `sint128`.
    private func integer(_ bytes: [UInt8]) -> MeasuredValue {
        let unused = 128 - min(128, Int(formatName.dropFirst(4)) ?? 128)
        let bits = bytes.reversed().reduce(UInt128(0)) { $0 << 8 | UInt128($1) } << UInt128(unused)
        var decimal = ExactDecimal(magnitude: bits >> UInt128(unused), exponent: decimal)
        if formatName.hasPrefix("sint"), Int128(bitPattern: bits) < 0 {
            decimal.isNegative = true
            decimal.magnitude = (Int128(bitPattern: bits) >> Int128(unused)).magnitude
        }
        return decimal.exponent < 0 ? .number(decimal.nearest) : decimal.integer(within: 1 << 53)
    }

    /// Decodes UTF-16, least significant byte first, without the NULs at its end.
    private func utf16(_ bytes: [UInt8]) throws(DecodeError) -> FieldValue {
        guard bytes.count.isMultiple(of: 2) else { throw .short }
        var units = stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
        while units.last == 0 { units.removeLast() }
        return String(validating: units, as: UTF16.self).map { .value(.text($0)) } ?? .state("bad_utf16")
    }
}
