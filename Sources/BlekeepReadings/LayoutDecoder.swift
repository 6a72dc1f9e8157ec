/// Decodes a characteristic's value by its line in the characteristic table, or by a layout of somebody's own: one
/// interpreter for all.
///
/// Making one searches the table and parses one line; keep it where many values of the characteristic are decoded.
public struct LayoutDecoder: Decoder {
    /// The characteristic's official name, such as `Battery Level`.
    public let name: String
    let fields: [Field]
    private(set) var endian = Endian.little

    /// `nil` for a characteristic whose fields are not known here.
    public init?(_ characteristic: BluetoothUUID) {
        guard let row = CharacteristicTable.table[characteristic], let fields = Field.list(notation: row[2]),
            !fields.isEmpty
        else { return nil }
        name = String(row[1])
        self.fields = fields
    }

    public init(_ layout: OwnLayout) {
        name = layout.name
        fields = layout.fields
        endian = layout.endian
    }

    /// By the layout of somebody's own, if there is one of this characteristic, else by the assigned one.
    public init?(_ characteristic: BluetoothUUID, own layouts: [OwnLayout]) {
        if let own = layouts.first(where: { $0.characteristic == characteristic }) {
            self.init(own)
        } else {
            self.init(characteristic)
        }
    }

    public func decode(_ octets: [UInt8]) throws(DecodeError) -> [Measurement] {
        var reader = OctetReader(octets, endian: endian)
        let measurements = try fields.decode(&reader)
        try reader.finish()
        return measurements
    }
}

extension [Field] {
    /// The fields' values, one after another; octets may be left.
    func decode(_ reader: inout OctetReader) throws(DecodeError) -> [Measurement] {
        var presence = PresenceContext()
        var measurements: [Measurement] = []
        measurements.reserveCapacity(count)
        // By their places: to take a field out of the layout would copy the whole of it.
        let fields = span
        for place in fields.indices where presence.isPresent(fields[place], atEnd: reader.isAtEnd) {
            let value = fields[place].repeats ? try fields[place].readAll(&reader) : try fields[place].read(&reader)
            presence.note(fields[place], value)
            if fields[place].name.isEmpty { continue }
            measurements.append(Measurement(field: fields[place].name, value, unit: fields[place].unit))
        }
        return measurements
    }
}

/// What the fields so far say about which others are there.
struct PresenceContext {
    private var flags: UInt64 = 0
    private var selector: Int64?
    private var remembered: [String: UInt64] = [:]

    func isPresent(_ field: Field, atEnd: Bool) -> Bool {
        switch field.presence {
        case .always: true
        case .ifOctetsAreLeft: !atEnd
        case .ifSelected(let value): selector == value
        case .ifFlags(let mask, let value): flags & mask == value
        case .ifFields(let conditions):
            conditions.allSatisfy { (remembered[$0.field] ?? ~$0.value) & $0.mask == $0.value }
        }
    }

    mutating func note(_ field: Field, _ value: FieldValue) {
        guard case .value(.integer(let number)) = value else { return }
        switch field.name {
        case "flags", "presence_flags": flags = UInt64(bitPattern: number)
        case "field_selector": selector = number
        default: break
        }
        if field.isRemembered { remembered[field.name] = UInt64(bitPattern: number) }
    }
}

extension Field {
    /// The values of a repeating field, to the end; one that is none makes the whole list none.
    fileprivate func readAll(_ reader: inout OctetReader) throws(DecodeError) -> FieldValue {
        var values: [MeasuredValue] = []
        while !reader.isAtEnd {
            switch try read(&reader) {
            case .value(let value): values.append(value)
            case .state(let word): return .state(word)
            }
        }
        return .value(.list(values))
    }

    func read(_ reader: inout OctetReader) throws(DecodeError) -> FieldValue {
        switch type {
        case .unsigned(let bits): value(of: Int64(try reader.unsigned(bits: bits)))
        case .signed(let bits): value(of: try reader.signed(bits: bits))
        case .real(let format): format.value(of: try reader.unsigned(bits: format.bits), scale: scale)
        case .dateTime: try DateTime(&reader).value
        case .exponentialTime: exponentialTime(Int64(try reader.unsigned(bits: 8)))
        case .text(let count): .text(try reader.octets(count))
        case .terminatedText: .text(try reader.octetsBeforeNUL())
        case .hex(let count): .hex(try reader.octets(count))
        case .eui64: .hex(try reader.octets(8).reversed())
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

    /// Two octets are an assigned number, written in upper case; more have to be all sixteen.
    private func uuid(_ reader: inout OctetReader) throws(DecodeError) -> FieldValue {
        let short = try reader.unsigned(bits: 16)
        if reader.isAtEnd {
            return .value(.text(BluetoothUUID(UInt16(truncatingIfNeeded: short)).description.uppercased()))
        }
        let rest = try reader.unsigned(bits: 48)
        let high = try reader.unsigned(bits: 64)
        return .value(.text(BluetoothUUID(high: high, low: rest << 16 | short).full))
    }
}
