/// A packet of Xiaomi's MiBeacon protocol, versions 2 to 5, plain or encrypted. The service data of 0xFE95.
///
/// The source is Xiaomi's description of MiBeacon at iot.mi.com, and for the encryption the parser of Home Assistant's
/// xiaomi-ble. `MiBeaconTable` lists the objects. A packet with the address of another device is ignored.
enum MiBeacon {
    static let service = BluetoothUUID(0xFE95)

    /// The four bytes that all keys of the versions 2 and 3 have in common.
    static let middleOfOldKeys: [UInt8] = [0x8D, 0x3D, 0x3C, 0x97]

    private struct Head {
        let control: UInt64
        let product: UInt16
        let number: UInt32
        var version: UInt8 { UInt8(control >> 12 & 15) }

        func has(_ bit: UInt64) -> Bool { control >> bit & 1 == 1 }
    }

    private enum Bit {
        static let encrypted: UInt64 = 3
        static let address: UInt64 = 4
        static let capability: UInt64 = 5
        static let object: UInt64 = 6
        static let mesh: UInt64 = 7
    }

    /// - Throws: `short`, `version`, `key` or `authentication`.
    static func decode(_ input: BroadcastInput) throws(DecodeError) -> Broadcast? {
        var reader = ByteReader(input.bytes)
        let head = Head(
            control: try reader.unsigned(bits: 16), product: UInt16(try reader.unsigned(bits: 16)),
            number: UInt32(try reader.unsigned(bits: 8)))
        guard !head.has(Bit.mesh) else { return nil }
        guard head.version >= 2 else { throw .version(head.version) }
        if head.has(Bit.address) {
            guard try Array(reader.bytes(6)) == input.data.address.bytes.reversed() else { return nil }
        }
        if head.has(Bit.capability), try reader.unsigned(bits: 8) & 0x20 != 0 { _ = try reader.bytes(1) }
        guard head.has(Bit.object) else { return .sensor(SensorPacket(.mibeacon, [], number: head.number)) }
        let rest = try reader.bytes()
        guard head.has(Bit.encrypted) else {
            guard rest.count >= 3 else { throw .short }
            return .sensor(SensorPacket(.mibeacon, objects(rest, of: head.product).values, number: head.number))
        }
        guard let key = input.key else { throw .key }
        let isOld = head.version <= 3
        let text = isOld ? try decryptOld(rest, input: input, key: key) : try decrypt(rest, input: input, key: key)
        let (values, isComplete) = objects(text[...], of: head.product)
        // Old packets prove nothing, but with a wrong key, their objects don't add up.
        guard isComplete || !isOld else { throw .authentication }
        return .sensor(SensorPacket(.mibeacon, values, counter: counter(of: head, rest)))
    }

    // MARK: Encryption

    /// Returns the counter of an encrypted packet. Version 5 extends the packet's number by three bytes. In earlier
    /// versions, these bytes may be random.
    private static func counter(of head: Head, _ rest: ArraySlice<UInt8>) -> PacketCounter {
        guard head.version >= 5 else { return PacketCounter(value: head.number, bits: 8) }
        let high = rest.suffix(7).prefix(3).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        return PacketCounter(value: high << 8 | head.number, bits: 32)
    }

    /// Decrypts versions 4 and 5: objects, 3 bytes of the counter, 4 bytes of proof.
    private static func decrypt(
        _ rest: ArraySlice<UInt8>, input: BroadcastInput, key: AdvertisementKey
    ) throws(DecodeError) -> [UInt8] {
        guard rest.count >= 9 else { throw .short }
        let address: [UInt8] = input.data.address.bytes.reversed()
        let nonce = address + Array(input.bytes[2..<5]) + Array(rest.suffix(7).prefix(3))
        return try AESCCM.decrypt(rest.dropLast(7), tag: rest.suffix(4), nonce: nonce, associated: [0x11], key: key)
    }

    /// Decrypts versions 2 and 3: objects, 3 bytes of the counter, one byte more.
    private static func decryptOld(
        _ rest: ArraySlice<UInt8>, input: BroadcastInput, key: AdvertisementKey
    ) throws(DecodeError) -> [UInt8] {
        guard rest.count >= 7 else { throw .short }
        let address = Array(input.data.address.bytes.reversed().prefix(5))
        let nonce = Array(input.bytes[..<5]) + Array(rest.suffix(4).prefix(3)) + address
        return try AESCCM.decrypt(rest.dropLast(4), tag: nil, nonce: nonce, associated: [0x11], key: key)
    }

    // MARK: Objects

    /// Skips objects that blekeep doesn't know, and those of another length than theirs.
    /// Returns the values; and whether the bytes end with an object.
    private static func objects(
        _ bytes: ArraySlice<UInt8>, of product: UInt16
    ) -> (values: [Measurement], isComplete: Bool) {
        var reader = ByteReader(Array(bytes))
        var values: [Measurement] = []
        while !reader.isAtEnd {
            guard let id = try? reader.unsigned(bits: 16), let length = try? reader.unsigned(bits: 8),
                let content = try? reader.bytes(Int(length))
            else { return (values, false) }
            values += (try? MiBeaconObject(id: UInt16(id), product: product, content).values()) ?? []
        }
        return (values, true)
    }
}
