/// A BTHome packet: version 2 is the service data of 0xFCD2; version 1, of devices from 2022, that of 0x181C, or of 0x181E
/// when it is encrypted.
///
/// The source of its objects is the format's own table at bthome.io, as of mid-2026. ``Broadcast`` chooses the format of
/// an advertisement for you.
public struct BTHome: Sendable, Hashable {
    /// The number of the service data.
    public static let service = BluetoothUUID(0xFCD2)
    static let oldService = BluetoothUUID(0x181C)
    static let oldSecretService = BluetoothUUID(0x181E)

    /// A value of a packet.
    public struct Object: Sendable, Hashable {
        /// The object's number in the format's table.
        public var id: UInt8
        /// The value in the format's unit, such as hPa. The events of buttons and dimmers are text.
        public var measurement: Measurement
        /// The number of steps that a dimmer was turned, or that a command goes up or down; `nil` for all other objects.
        public var steps: Int?
    }

    /// Whether the packet was encrypted.
    public let isEncrypted: Bool
    /// Whether the device sends packets on events, instead of at an interval.
    public let isTriggered: Bool
    /// Whether the packet says that: one of version 1 doesn't.
    let saysWhenItSends: Bool
    /// The counter of an encrypted packet, which rises with each packet; `nil` for other packets.
    public let counter: UInt32?
    /// The values, in the order of the packet.
    public let objects: [Object]
    /// Whether the packet goes on with an object that is cut off, or that blekeep doesn't know.
    public let isIncomplete: Bool

    /// Decodes a packet.
    ///
    /// - Parameters:
    ///   - bytes: the service data of ``service``.
    ///   - address: the device's address, which is part of the encryption.
    ///   - key: the key of an encrypted packet.
    /// - Throws: `short`, `version`, `key` or `authentication`.
    public init(_ bytes: [UInt8], from address: BluetoothAddress, key: AdvertisementKey? = nil) throws(DecodeError) {
        guard let info = bytes.first else { throw .short }
        guard info >> 5 == 2 else { throw .version(info >> 5) }
        isEncrypted = info & 1 == 1
        isTriggered = Self.isTriggered(info)
        saysWhenItSends = true
        var content = Array(bytes.dropFirst())
        if isEncrypted {
            guard let key else { throw .key }
            guard content.count >= 8 else { throw .short }
            let counterBytes = content.suffix(8).prefix(4)
            counter = counterBytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
            content = try AESCCM.decrypt(
                content.dropLast(8), tag: content.suffix(4),
                nonce: address.bytes + [0xD2, 0xFC, info] + counterBytes, key: key)
        } else {
            counter = nil
        }
        (objects, isIncomplete) = Self.objects(content)
    }

    /// Whether the information byte of a packet says that the device sends when something happens.
    static func isTriggered(_ info: UInt8) -> Bool { info & 4 == 4 }

    /// Decodes a packet of any version.
    init(_ input: BroadcastInput) throws(DecodeError) {
        let isSecret = input.source == .service(Self.oldSecretService)
        guard isSecret || input.source == .service(Self.oldService) else {
            try self.init(input.bytes, from: input.data.address, key: input.key)
            return
        }
        var content = input.bytes
        var counter: UInt32?
        if isSecret {
            guard let key = input.key else { throw .key }
            guard content.count >= 9 else { throw .short }
            let counterBytes = content.suffix(8).prefix(4)
            counter = counterBytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
            content = try AESCCM.decrypt(
                content.dropLast(8), tag: content.suffix(4),
                nonce: input.data.address.bytes + [0x1E, 0x18] + counterBytes, associated: [0x11], key: key)
        }
        let (objects, isIncomplete) = Self.oldObjects(content)
        self.init(isEncrypted: isSecret, counter: counter, objects: objects, isIncomplete: isIncomplete)
    }

    private init(isEncrypted: Bool, counter: UInt32?, objects: [Object], isIncomplete: Bool) {
        (self.isEncrypted, isTriggered, self.counter, saysWhenItSends) = (isEncrypted, false, counter, false)
        (self.objects, self.isIncomplete) = (objects, isIncomplete)
    }

    /// Reads objects of version 1: the kind and the length, the number, and that many bytes less one.
    private static func oldObjects(_ content: [UInt8]) -> (objects: [Object], isIncomplete: Bool) {
        var reader = ByteReader(content)
        var objects: [Object] = []
        while !reader.isAtEnd {
            guard let head = try? reader.unsigned(bits: 8), let bytes = try? reader.bytes(Int(head & 0x1F)) else {
                return (objects, true)
            }
            guard let object = try? oldObject(Array(bytes), kind: head >> 5) else { continue }
            objects.append(object)
        }
        return (objects, false)
    }

    /// - Parameter kind: 0 and 1 for unsigned and signed numbers, 2 for a float, 3 for text, 4 for an address.
    private static func oldObject(_ bytes: [UInt8], kind: UInt64) throws(DecodeError) -> Object {
        guard kind < 3, let id = bytes.first, let row = BTHomeTable.table[UInt16(id)] else { throw .format(0) }
        guard !["text", "raw", "command"].contains(row[1]), id < 0xF0, var field = Field(notation: row[2]) else {
            throw .format(id)
        }
        // The packet says how many bytes the number has.
        let bits = (bytes.count - 1) * 8
        guard (8...32).contains(bits) else { throw .short }
        field.type = kind == 2 ? .real(.float32) : kind == 1 ? .signed(bits: bits) : .unsigned(bits: bits)
        if kind == 2, bits != 32 { throw .short }
        var reader = ByteReader(Array(bytes.dropFirst()))
        var object = try object(id, kind: row[1], field: field, from: &reader)
        object.measurement = object.measurement.limited(in: .bthome)
        return object
    }

    /// The counter of an encrypted packet, or the packet id of another one; `nil` without both.
    public var packetNumber: UInt32? {
        if let counter { return counter }
        guard case .integer(let id)? = objects.first(where: { $0.id == 0 })?.measurement.value else { return nil }
        return UInt32(exactly: id)
    }

    /// Whether a packet is older than the packet `last`. Packet ids start again after 255.
    package static func isOlder(packetID number: UInt32, than last: UInt32) -> Bool {
        let behind = UInt8(truncatingIfNeeded: last) &- UInt8(truncatingIfNeeded: number)
        return (1..<128).contains(behind)
    }

    /// The packet's measurements, without the packet id. The second temperature is `temperature_2`. Pressure is in Pa,
    /// as in characteristics.
    public var measurements: [Measurement] {
        var seen: [String: Int] = [:]
        var measurements: [Measurement] = []
        for object in objects where object.id != 0 {
            var measurement = object.measurement
            if measurement.unit == "hPa", case .number(let pressure)? = measurement.value {
                // The packet has hundredths of hPa, which are Pa. One of version 1 may have any float.
                measurement.value = Int64(exactly: (pressure * 100 + 0.5).rounded(.towardZero)).map { .integer($0) }
                if measurement.value == nil { measurement.state = "prohibited" }
                measurement.unit = "Pa"
                measurement.decimals = nil
            }
            let count = seen[measurement.field, default: 0] + 1
            seen[measurement.field] = count
            if count > 1 { measurement.field += "_\(count)" }
            measurements.append(measurement)
            if let steps = object.steps {
                measurements.append(Measurement(field: measurement.field + "_steps", value: .integer(Int64(steps))))
            }
        }
        return measurements
    }

    // MARK: Objects

    private static func objects(_ content: [UInt8]) -> (objects: [Object], isIncomplete: Bool) {
        var reader = ByteReader(content)
        var objects: [Object] = []
        while !reader.isAtEnd {
            guard var object = try? object(&reader) else { return (objects, true) }
            object.measurement = object.measurement.limited(in: .bthome)
            objects.append(object)
        }
        return (objects, false)
    }

    /// - Throws: `short` for an object that is cut off, `format` for an unknown object.
    private static func object(_ reader: inout ByteReader) throws(DecodeError) -> Object {
        let id = UInt8(truncatingIfNeeded: try reader.unsigned(bits: 8))
        guard let row = BTHomeTable.table[UInt16(id)] else { throw .format(id) }
        switch row[1] {
        case "text":
            return Object(id: id, measurement: Measurement(field: String(row[2]), try text(&reader), unit: nil))
        case "command": return try command(id, named: String(row[2]), from: &reader)
        case "raw":
            let bytes = try reader.bytes(Int(try reader.unsigned(bits: 8)))
            return Object(id: id, measurement: Measurement(field: String(row[2]), .hex(bytes), unit: nil))
        case let kind:
            guard let field = Field(notation: row[2]) else { throw .format(id) }
            return try object(id, kind: kind, field: field, from: &reader)
        }
    }

    private static func object(
        _ id: UInt8, kind: Substring, field: Field, from reader: inout ByteReader
    ) throws(DecodeError) -> Object {
        if kind == "version", case .hex(let count) = field.type {
            let parts = try reader.bytes(count).reversed().map { String($0) }
            return Object(
                id: id, measurement: Measurement(field: field.name, value: .text(parts.joined(separator: "."))))
        }
        let value = try field.read(&reader)
        guard case .value(.integer(let raw)) = value, kind != "number" else {
            return Object(
                id: id,
                measurement: Measurement(field: field.name, value, unit: field.unit, decimals: field.decimals))
        }
        switch kind {
        case "button": return Object(id: id, measurement: event(field, raw: raw, of: buttonEvents))
        case "dimmer":
            return Object(id: id, measurement: event(field, raw: raw & 0xFF, of: dimmerEvents), steps: Int(raw >> 8))
        default: return Object(id: id, measurement: Measurement(field: field.name, value: .boolean(raw != 0)))
        }
    }

    /// Reads the length of the arguments, whose upper three bits are reserved, then the command, then the arguments.
    private static func command(
        _ id: UInt8, named name: String, from reader: inout ByteReader
    ) throws(DecodeError) -> Object {
        let length = Int(try reader.unsigned(bits: 8) & 0x1F)
        let code = Int64(try reader.unsigned(bits: 8))
        let arguments = try reader.bytes(length)
        let command = commands[code]
        return Object(
            id: id,
            measurement: Measurement(field: name, command.map { .value(.text($0)) } ?? .state("reserved"), unit: nil),
            steps: command?.hasPrefix("step") == true ? arguments.first.map { Int($0) } : nil)
    }

    private static func text(_ reader: inout ByteReader) throws(DecodeError) -> FieldValue {
        .text(try reader.bytes(Int(try reader.unsigned(bits: 8))))
    }

    private static func event(_ field: Field, raw: Int64, of events: [Int64: String]) -> Measurement {
        Measurement(field: field.name, events[raw].map { .value(.text($0)) } ?? .state("reserved"), unit: nil)
    }

    private static let buttonEvents: [Int64: String] = [
        0: "none", 1: "press", 2: "double_press", 3: "triple_press", 4: "long_press", 5: "long_double_press",
        6: "long_triple_press", 0x80: "hold_press", 0x81: "hold_release",
        // Shelly's buttons before firmware 1.0.20; 0x80 since then.
        0xFE: "hold_press",
    ]

    private static let commands: [Int64: String] = [0: "off", 1: "on", 2: "toggle", 3: "step_up", 4: "step_down"]

    private static let dimmerEvents: [Int64: String] = [0: "none", 1: "rotate_left", 2: "rotate_right"]
}
