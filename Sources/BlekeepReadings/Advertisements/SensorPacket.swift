/// A packet of a sensor.
public struct SensorPacket: Sendable, Hashable {
    /// The packet's format.
    public let format: BroadcastFormat
    /// The values of the packet; pressure in Pa. Empty when the device only says that it is there.
    public let measurements: [Measurement]
    /// The packet's number; `nil` when the device doesn't send one.
    public let number: UInt32?
    /// The counter of an encrypted packet; `nil` for other packets.
    public let counter: PacketCounter?

    /// The measurement `packet_id` becomes the number. Of two measurements with the same name, the last one counts.
    init(_ format: BroadcastFormat, _ all: [Measurement], number: UInt32? = nil, counter: PacketCounter? = nil) {
        self.format = format
        self.counter = counter
        var measurements: [Measurement] = []
        var found = number ?? counter?.value
        for measurement in all {
            if measurement.field == "packet_id", case .integer(let id)? = measurement.value {
                found = UInt32(exactly: id)
                continue
            }
            measurements.removeAll { $0.field == measurement.field }
            measurements.append(measurement.limited(in: format))
        }
        self.measurements = measurements
        self.number = found
    }
}

/// The counter of an encrypted packet, which rises with each packet and starts again from 0 after its last number.
public struct PacketCounter: Sendable, Hashable {
    /// The number in the packet.
    public let value: UInt32
    /// The bits of the counter: 8 or 32.
    public let bits: Int

    package enum Order: Sendable, Hashable { case older, same, newer }

    /// Returns whether the packet is older or newer than another one: half of all numbers count as later ones.
    ///
    /// A counter with fewer bits counts as older, because some formats let anybody shorten a recorded counter.
    package func order(after other: PacketCounter) -> Order {
        guard bits == other.bits else { return bits < other.bits ? .older : .newer }
        let step = steps(since: other)
        return step == 0 ? .same : step < 1 << (bits - 1) ? .newer : .older
    }

    /// Returns how far the counter rose since another one with as many bits.
    package func steps(since other: PacketCounter) -> UInt32 {
        (value &- other.value) & UInt32(truncatingIfNeeded: UInt64(1) << UInt64(bits) &- 1)
    }
}

/// Fields in the notation of the characteristic table. The unit `bool` makes a number a truth value.
enum SensorFields {
    /// Decodes some bytes. Throws `short`, or `long` when bytes are left.
    static func decode(
        _ notation: Substring, bytes: some Sequence<UInt8>, endian: Endian = .little
    ) throws(DecodeError) -> [Measurement] {
        var reader = ByteReader(Array(bytes), endian: endian)
        let measurements = try decode(notation, from: &reader)
        try reader.finish()
        return measurements
    }

    static func decode(_ notation: Substring, from reader: inout ByteReader) throws(DecodeError) -> [Measurement] {
        try (Field.list(notation: notation) ?? []).decode(&reader).map(tidy)
    }

    /// Decodes fields in the notation of `PacketLayout`. Bytes may be left. Throws `short`.
    static func decode(
        _ fields: [RecipeField], bytes: [UInt8], endian: Endian = .little
    ) throws(DecodeError) -> [Measurement] {
        var decoder = RecipeDecoder(bytes, endian: endian, values: RecipeValues(), number: nil) { _ in false }
        do {
            try decoder.decode(fields)
        } catch {
            throw .short
        }
        return decoder.measurements.map { measurement in
            // Sums have the decimals of their parts. An estimate by a curve is a whole number.
            guard case .number(let number)? = measurement.value,
                let field = fields.first(where: { $0.field.name == measurement.field && $0.isComposed })
            else { return tidy(measurement) }
            let parts = [field.field.decimals] + fields.filter { $0.field.name == field.addend }.map(\.field.decimals)
            let decimals = parts.compactMap { $0 }.max() ?? 0
            if decimals == 0, let whole = Int64(exactly: number) {
                return Measurement(field: measurement.field, value: .integer(whole), unit: measurement.unit)
            }
            return rounded(measurement.field, number: number, unit: measurement.unit, decimals: decimals)
        }
    }

    static func tidy(_ measurement: Measurement) -> Measurement {
        switch measurement.value {
        case .integer(let number)? where measurement.unit == "bool":
            Measurement(field: measurement.field, value: .boolean(number != 0))
        case .number(let number)? where measurement.decimals == nil:
            rounded(measurement.field, number: number, unit: measurement.unit)
        default: measurement
        }
    }

    /// Returns a measurement in steps of 0.01, which removes the noise of 32-bit numbers.
    static func rounded(_ field: String, number: Double, unit: String?, decimals: Int = 2) -> Measurement {
        let power = (0..<decimals).reduce(1.0) { power, _ in power * 10 }
        let moved = number * power + (number < 0 ? -0.5 : 0.5)
        guard abs(moved) < 0x1p52 else { return Measurement(field: field, .number(number), unit: unit) }
        let value = Scale(decimal: -decimals).value(of: Int64(moved))
        return Measurement(field: field, value: value, unit: unit, decimals: decimals > 0 ? decimals : nil)
    }

    /// Returns a truth value.
    static func flag(_ field: String, value: Bool) -> Measurement { Measurement(field: field, value: .boolean(value)) }
}
