/// Decodes the values of a characteristic by the layout that the Bluetooth SIG assigned, or by your own.
///
/// ```swift
/// let decoder = LayoutDecoder(BluetoothUUID(0x2A6E))
/// let measurements = try decoder?.decode([0x4E, 0x09]) ?? []          // temperature 23.82 °C
/// ```
///
/// Units are those of the layout, without a prefix: Pa, not hPa. The source of the assigned layouts is the SIG's GATT
/// Specification Supplement, as of mid-2026.
///
/// Creating a decoder searches a table and parses a line. Keep the decoder to decode many values.
public struct LayoutDecoder: Decoder {
    /// The characteristic's official name, such as `Battery Level`, or the name in your own layout.
    public let name: String
    /// The fields of an assigned layout, or of your own; empty when one of these can't be written, because it has a
    /// place or a table.
    let fields: [Field]
    /// The fields of your own layout.
    private(set) var own: [RecipeField]?
    private(set) var endian = Endian.little

    /// Creates the decoder of an assigned characteristic; `nil` when blekeep doesn't know its layout.
    public init?(_ characteristic: BluetoothUUID) {
        guard let row = CharacteristicTable.table[characteristic], let fields = Field.list(notation: row[2]),
            !fields.isEmpty
        else { return nil }
        name = String(row[1])
        self.fields = fields
    }

    /// Creates a decoder for your own layout.
    public init(_ layout: OwnLayout) {
        name = layout.name
        fields = layout.fields.allSatisfy(\.isPlain) ? layout.fields.map(\.field) : []
        own = layout.fields
        endian = layout.endian
    }

    /// Creates a decoder for your own layout of a characteristic, or for the assigned layout without one of your own.
    ///
    /// `nil` when neither exists.
    public init?(_ characteristic: BluetoothUUID, own layouts: [OwnLayout]) {
        if let own = layouts.first(where: { $0.characteristic == characteristic }) {
            self.init(own)
        } else {
            self.init(characteristic)
        }
    }

    /// Returns the fields of a value, in the order of the layout.
    ///
    /// - Throws: `short` or `long`, when the number of bytes doesn't match the layout.
    public func decode(_ bytes: [UInt8]) throws(DecodeError) -> [Measurement] {
        if let own { return try decode(bytes, by: own) }
        var reader = ByteReader(bytes, endian: endian)
        let measurements = try fields.decode(&reader)
        try reader.finish()
        return measurements
    }

    private func decode(_ bytes: [UInt8], by own: [RecipeField]) throws(DecodeError) -> [Measurement] {
        var decoder = RecipeDecoder(bytes, endian: endian, values: RecipeValues(), number: nil) { _ in false }
        do throws(RecipeFlaw) { try decoder.decode(own) } catch { throw .short }
        if own.allSatisfy(\.isInSequence) { try decoder.finish() }
        return decoder.measurements
    }
}

extension [Field] {
    /// Decodes the fields one after another. Bytes may be left over.
    func decode(_ reader: inout ByteReader) throws(DecodeError) -> [Measurement] {
        var presence = PresenceContext()
        var measurements: [Measurement] = []
        measurements.reserveCapacity(count)
        // Access by index, because a loop over the fields would copy each of them.
        let fields = span
        for index in fields.indices where presence.isPresent(fields[index], atEnd: reader.isAtEnd) {
            let value = fields[index].repeats ? try fields[index].readAll(&reader) : try fields[index].read(&reader)
            presence.note(fields[index], value)
            if fields[index].name.isEmpty { continue }
            measurements.append(
                Measurement(
                    field: fields[index].name, value, unit: fields[index].unit, decimals: fields[index].decimals))
        }
        return measurements
    }
}

/// The values of earlier fields that decide whether later fields are present.
struct PresenceContext {
    private var flags: UInt64 = 0
    private var selector: Int64?

    func isPresent(_ field: Field, atEnd: Bool) -> Bool {
        switch field.presence {
        case .always: true
        case .ifBytesAreLeft: !atEnd
        case .ifSelected(let value): selector == value
        case .ifFlags(let mask, let value): flags & mask == value
        }
    }

    mutating func note(_ field: Field, _ value: FieldValue) {
        guard case .value(.integer(let number)) = value else { return }
        switch field.name {
        case "flags", "presence_flags": flags = UInt64(bitPattern: number)
        case "field_selector": selector = number
        default: break
        }
    }
}

extension Field {
    /// Reads a repeating field to the end. If an element is a word such as `unknown`, so is the whole list.
    func readAll(_ reader: inout ByteReader) throws(DecodeError) -> FieldValue {
        var values: [MeasuredValue] = []
        while !reader.isAtEnd {
            switch try read(&reader) {
            case .value(let value): values.append(value)
            case .state(let word): return .state(word)
            }
        }
        return .value(.list(values))
    }

    func read(_ reader: inout ByteReader) throws(DecodeError) -> FieldValue {
        switch type {
        case .unsigned(let bits): value(of: Int64(try reader.unsigned(bits: bits)))
        case .signed(let bits): value(of: try reader.signed(bits: bits))
        case .signMagnitude(let bits): value(of: try reader.signMagnitude(bits: bits))
        case .real(let format): format.value(of: try reader.unsigned(bits: format.bits), scale: scale)
        case .dateTime: try DateTime(&reader).value
        case .exponentialTime: exponentialTime(Int64(try reader.unsigned(bits: 8)))
        case .text(let count): .text(try reader.bytes(count))
        case .terminatedText: .text(try reader.bytesBeforeNUL())
        case .hex(let count): .hex(try reader.bytes(count))
        case .eui64: .hex(try reader.bytes(8).reversed())
        case .uuid: try uuid(&reader)
        }
    }

    func value(of raw: Int64) -> FieldValue {
        state(of: raw).map { .state($0) } ?? .value(scale.value(of: raw))
    }

    func exponentialTime(_ raw: Int64) -> FieldValue {
        if let word = state(of: raw) { return .state(word) }
        guard raw != 0 else { return .value(.number(0)) }
        var seconds = 1.0
        for _ in 0..<abs(raw - 64) { seconds *= 1.1 }
        return .value(.number(raw < 64 ? 1 / seconds : seconds))
    }

    /// Reads two bytes as an assigned number, in upper case, and otherwise all 16 bytes of a UUID.
    private func uuid(_ reader: inout ByteReader) throws(DecodeError) -> FieldValue {
        let short = try reader.unsigned(bits: 16)
        if reader.isAtEnd {
            return .value(.text(BluetoothUUID(UInt16(truncatingIfNeeded: short)).description.uppercased()))
        }
        let rest = try reader.unsigned(bits: 48)
        let high = try reader.unsigned(bits: 64)
        return .value(.text(BluetoothUUID(high: high, low: rest << 16 | short).full))
    }
}
