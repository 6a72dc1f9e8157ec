import DBus

/// Which of BlueZ's objects belong to which configured device: by the address in their path.
struct DevicePaths: Sendable {
    /// In the order of the addresses.
    private let ids: [(address: BluetoothAddress, id: Int)]
    /// Paths that bear another address than their device has now.
    let aliases = PathAliases()

    init(_ addresses: [BluetoothAddress]) {
        ids = addresses.enumerated().map { ($0.element, $0.offset) }.sorted { $0 < $1 }
    }

    /// The device that this object is, or is a part of; `nil` for adapters and for devices of others.
    func device(of path: ObjectPath) -> Int? {
        guard let address = BluetoothAddress(device: path) else { return nil }
        return device(at: address) ?? (aliases.devices.isEmpty ? nil : aliases.devices[address])
    }

    /// The configured device of this address; the first of several.
    func device(at address: BluetoothAddress) -> Int? {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle].address < address { low = middle + 1 } else { high = middle }
        }
        return low < ids.count && ids[low].address == address ? ids[low].id : nil
    }

    /// Asks BlueZ for the objects of all other devices; `nil`: it doesn't say.
    func queryOthers(on bus: any Bus) async -> [ObjectPath: ManagedObject]? {
        let options = MethodCall.Options(largestReply: 128 << 20, wants: { Self.isWhole($0) && device(of: $0) == nil })
        let all = try? await bus.object(Bluez.service, .root).call(
            ObjectManager.getManagedObjects, within: .seconds(20), options: options)
        return all?.objects
    }

    /// Whether the object is a device or a part of one, anybody's.
    static func isDevice(_ path: ObjectPath) -> Bool {
        var text = path.text
        return text.withUTF8 { BluetoothAddress.place(in: $0) != nil }
    }

    /// Whether the object is a device itself, anybody's.
    static func isWhole(_ path: ObjectPath) -> Bool {
        var text = path.text
        return text.withUTF8 { octets in
            BluetoothAddress.place(in: octets).map { octets.count - $0 == BluetoothAddress.length } ?? false
        }
    }
}

extension BluetoothAddress {
    /// The address in `/org/bluez/hci0/dev_F0_00_00_00_00_01/…`; `nil` for what is no device nor part of one.
    package init?(device path: ObjectPath) {
        var text = path.text
        let bits = text.withUTF8 { octets -> UInt64? in
            guard let start = Self.place(in: octets), octets.count - start >= Self.length else { return nil }
            var bits: UInt64 = 0
            for place in stride(from: start, to: start + Self.length, by: 3) {
                guard let high = octets[place].hexDigit, let low = octets[place + 1].hexDigit else { return nil }
                bits = bits << 8 | UInt64(high << 4 | low)
                if place > start, octets[place - 1] != UInt8(ascii: "_") { return nil }
            }
            return bits
        }
        guard let bits else { return nil }
        self.init(bits: bits)
    }

    fileprivate static let length = 17

    /// Where the text begins that follows `dev_` in the third element.
    fileprivate static func place(in octets: UnsafeBufferPointer<UInt8>) -> Int? {
        guard var place = end(of: "/org/bluez/", at: 0, in: octets) else { return nil }
        while place < octets.count, octets[place] != UInt8(ascii: "/") { place += 1 }
        return end(of: "/dev_", at: place, in: octets)
    }

    private static func end(of text: StaticString, at start: Int, in octets: UnsafeBufferPointer<UInt8>) -> Int? {
        let end = start + text.utf8CodeUnitCount
        guard octets.count >= end else { return nil }
        for place in start..<end where octets[place] != text.utf8Start[place - start] { return nil }
        return end
    }
}
