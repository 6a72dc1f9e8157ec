/// BTHome v2: objects one after another, each a number and what it measures. Service data of 0xFCD2.
public struct BTHome: Sendable, Hashable {
    public static let service = BluetoothUUID(0xFCD2)

    /// One value of a packet.
    public struct Object: Sendable, Hashable {
        public var id: UInt8
        /// In the unit of the format, such as hPa; the field is the object's name. Buttons and dimmers are text.
        public var measurement: Measurement
        /// How far a dimmer was turned.
        public var steps: Int?
    }

    public let isEncrypted: Bool
    /// Whether the device speaks when something happens, and not at intervals.
    public let isTriggered: Bool
    /// Of an encrypted packet; rises with every one.
    public let counter: UInt32?
    /// In the order sent.
    public let objects: [Object]
    /// Whether objects follow that are cut off or not known here.
    public let isIncomplete: Bool

    /// - Parameters:
    ///   - octets: the service data of `BTHome.service`.
    ///   - address: the device's; part of what encryption makes sure of.
    ///   - key: for encrypted packets.
    /// - Throws: `short`, `version`, `key`, `authentication` or `cipher`.
    public init(
        _ octets: [UInt8], from address: BluetoothAddress, key: AdvertisementKey? = nil
    ) throws(DecodeError) {
        guard let info = octets.first else { throw .short }
        guard info >> 5 == 2 else { throw .version(info >> 5) }
        isEncrypted = info & 1 == 1
        isTriggered = info & 4 == 4
        var content = Array(octets.dropFirst())
        if isEncrypted {
            guard let key else { throw .key }
            guard content.count >= 8 else { throw .short }
            let counterOctets = content.suffix(8).prefix(4)
            counter = counterOctets.reversed().reduce(0) { $0 << 8 | UInt32($1) }
            content = try AESCCM.decrypt(
                content.dropLast(8), tag: content.suffix(4),
                nonce: address.octets + [0xD2, 0xFC, info] + counterOctets, key: key)
        } else {
            counter = nil
        }
        (objects, isIncomplete) = Self.objects(content)
    }

    /// The counter of an encrypted packet, or its packet id.
    public var packetNumber: UInt32? {
        if let counter { return counter }
        guard case .integer(let id)? = objects.first(where: { $0.id == 0 })?.measurement.value else { return nil }
        return UInt32(exactly: id)
    }

    /// Whether a packet with this number was sent before the one with `last`, as numbers of a packet id start again
    /// after 255.
    package static func isOlder(packetID number: UInt32, than last: UInt32) -> Bool {
        let behind = UInt8(truncatingIfNeeded: last) &- UInt8(truncatingIfNeeded: number)
        return (1..<128).contains(behind)
    }

    /// Whether an encrypted packet was sent before the one with the counter `last`, or recorded and sent again. A
    /// device that was restarted counts from 0.
    package static func isReplay(counter: UInt32, after last: UInt32) -> Bool {
        counter < last && counter >= restartCounters
    }

    /// Counters below this one are taken for those of a restarted device, as Home Assistant does.
    private static let restartCounters: UInt32 = 100

    /// What the packet measures, without its number; the second temperature is `temperature_2`. Pressure is in Pa, as
    /// that of every reading.
    public var measurements: [Measurement] {
        var seen: [String: Int] = [:]
        var measurements: [Measurement] = []
        for object in objects where object.id != 0 {
            var measurement = object.measurement
            if measurement.unit == "hPa", case .number(let pressure)? = measurement.value {
                // Hundredths of a hPa on the air: whole Pa.
                measurement.value = .integer(Int64(pressure * 100 + 0.5))
                measurement.unit = "Pa"
            }
            let count = seen[measurement.field, default: 0] + 1
            seen[measurement.field] = count
            if count > 1 { measurement.field += "_\(count)" }
            measurements.append(measurement)
            if let steps = object.steps {
                measurements.append(
                    Measurement(field: measurement.field + "_steps", value: .integer(Int64(steps))))
            }
        }
        return measurements
    }

    // MARK: Objects

    private static func objects(_ content: [UInt8]) -> (objects: [Object], isIncomplete: Bool) {
        var reader = OctetReader(content)
        var objects: [Object] = []
        while !reader.isAtEnd {
            guard let object = try? object(&reader) else { return (objects, true) }
            objects.append(object)
        }
        return (objects, false)
    }

    /// - Throws: `short` for what is cut, `format` for what is not known.
    private static func object(_ reader: inout OctetReader) throws(DecodeError) -> Object {
        let id = UInt8(truncatingIfNeeded: try reader.unsigned(bits: 8))
        guard let row = BTHomeTable.table[UInt16(id)] else { throw .format(id) }
        switch row[1] {
        case "text":
            return Object(id: id, measurement: Measurement(field: String(row[2]), try text(&reader), unit: nil))
        case "raw":
            let octets = try reader.octets(Int(try reader.unsigned(bits: 8)))
            return Object(id: id, measurement: Measurement(field: String(row[2]), .hex(octets), unit: nil))
        case let kind:
            guard let field = Field(notation: row[2]) else { throw .format(id) }
            return try object(id, kind, field, &reader)
        }
    }

    private static func object(
        _ id: UInt8, _ kind: Substring, _ field: Field, _ reader: inout OctetReader
    ) throws(DecodeError) -> Object {
        if kind == "version", case .hex(let count) = field.type {
            let parts = try reader.octets(count).reversed().map { String($0) }
            return Object(
                id: id, measurement: Measurement(field: field.name, value: .text(parts.joined(separator: "."))))
        }
        let value = try field.read(&reader)
        guard case .value(.integer(let raw)) = value, kind != "number" else {
            return Object(id: id, measurement: Measurement(field: field.name, value, unit: field.unit))
        }
        switch kind {
        case "button": return Object(id: id, measurement: event(field, raw, of: buttonEvents))
        case "dimmer":
            return Object(id: id, measurement: event(field, raw & 0xFF, of: dimmerEvents), steps: Int(raw >> 8))
        default: return Object(id: id, measurement: Measurement(field: field.name, value: .boolean(raw != 0)))
        }
    }

    private static func text(_ reader: inout OctetReader) throws(DecodeError) -> FieldValue {
        .text(try reader.octets(Int(try reader.unsigned(bits: 8))))
    }

    private static func event(_ field: Field, _ raw: Int64, of events: [Int64: String]) -> Measurement {
        Measurement(field: field.name, events[raw].map { .value(.text($0)) } ?? .state("reserved"), unit: nil)
    }

    private static let buttonEvents: [Int64: String] = [
        0: "none", 1: "press", 2: "double_press", 3: "triple_press", 4: "long_press", 5: "long_double_press",
        6: "long_triple_press", 0x80: "hold_press", 0x81: "hold_release",
    ]

    private static let dimmerEvents: [Int64: String] = [0: "none", 1: "rotate_left", 2: "rotate_right"]
}
