/// The decimals of stored values, which the history doesn't keep: from the layouts of their characteristics, from the packets
/// of advertised values, and otherwise from the bytes.
package struct LayoutDecimals: Sendable {
    private let own: [OwnLayout]
    private let keys: [BluetoothAddress: AdvertisementKey]
    private var known: [BluetoothUUID: [String: Int]] = [:]
    /// The last packet, because its values follow one another.
    private var last: (packet: Packet, decimals: [String: Int])?

    private struct Packet: Equatable {
        let format: String
        let service: BluetoothUUID?
        let address: BluetoothAddress
        let bytes: [UInt8]
    }

    /// The limit for devices that have ever new characteristics.
    private static let maxKnown = 1024

    /// - Parameters:
    ///   - layouts: the user's own ones.
    ///   - keys: those of devices with encrypted packets.
    package init(own layouts: [OwnLayout] = [], keys: [BluetoothAddress: AdvertisementKey] = [:]) {
        own = layouts
        self.keys = keys
    }

    /// Returns the decimals that show each step of a field; `nil` for whole numbers, and when unknown.
    package mutating func decimals(of field: String, in characteristic: BluetoothUUID?) -> Int? {
        guard let characteristic else { return nil }
        if let fields = known[characteristic] { return fields[field] }
        if known.count >= Self.maxKnown { known = [:] }
        let decoder = LayoutDecoder(characteristic, own: own)
        let fields = decoder?.own ?? decoder?.fields.map { RecipeField($0) } ?? []
        let decimals = Dictionary(
            fields.compactMap { field in field.decimals.map { (field.field.name, $0) } }, uniquingKeysWith: max)
        known[characteristic] = decimals
        return decimals[field]
    }

    private mutating func decimals(of field: String, in packet: Packet) -> Int? {
        if let last, last.packet == packet { return last.decimals[field] }
        let broadcast = Broadcast.packet(
            packet.bytes, named: packet.format, service: packet.service, from: packet.address,
            key: keys[packet.address])
        let fields = broadcast?.measurements ?? []
        let decimals = Dictionary(
            fields.compactMap { field in field.decimals.map { (field.field, $0) } }, uniquingKeysWith: max)
        last = (packet, decimals)
        return decimals[field]
    }

    /// Returns a stored reading with the decimals of its value.
    package mutating func complete(_ reading: Reading) -> Reading {
        guard case .value(var measurement, let raw) = reading.outcome, measurement.decimals == nil else {
            return reading
        }
        if case .number? = measurement.value, reading.characteristic == nil, reading.recipe == nil {
            measurement.decimals = decimals(
                of: measurement.field,
                in: Packet(format: reading.name, service: reading.service, address: reading.address, bytes: raw))
        } else {
            measurement.decimals =
                decimals(of: measurement.field, in: reading.characteristic) ?? Self.decimals(of: measurement, raw)
        }
        var complete = reading
        complete.outcome = .value(measurement, raw: raw)
        return complete
    }

    /// Returns the decimals of a value whose format only its device has, a presentation format: it is an integer of all bytes
    /// with a power of ten.
    private static func decimals(of measurement: Measurement, _ raw: [UInt8]) -> Int? {
        guard measurement.field == "value", case .number? = measurement.value, 1...8 ~= raw.count else { return nil }
        let bits = 8 * raw.count
        var (signed, unsigned) = (ByteReader(raw), ByteReader(raw))
        let integers = [
            try? signed.signed(bits: bits), (try? unsigned.unsigned(bits: bits)).flatMap(Int64.init(exactly:)),
        ]
        return (1...6).first { decimals in
            integers.contains { $0.map { Scale(decimal: -decimals).value(of: $0) } == measurement.value }
        }
    }
}
