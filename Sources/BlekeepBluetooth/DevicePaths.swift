import DBus

/// Finds the configured device that an object of BlueZ belongs to, by the address in its path.
final class DevicePaths: @unchecked Sendable {
    // Used only on the loop's thread.
    private(set) var addresses: [BluetoothAddress] = []
    /// Sorted by address.
    private var ids: [(address: BluetoothAddress, id: Int)] = []
    /// The paths with another address than their device has now.
    let aliases = PathAliases()

    init(_ addresses: [BluetoothAddress]) { watch(addresses) }

    /// Takes other devices. The ones that are in both lists keep their other paths.
    func replace(with addresses: [BluetoothAddress]) {
        let former = self.addresses
        watch(addresses)
        aliases.renumber { device(at: former[$0]) }
    }

    private func watch(_ addresses: [BluetoothAddress]) {
        self.addresses = addresses
        ids = addresses.enumerated().map { ($0.element, $0.offset) }.sorted { $0 < $1 }
    }

    /// Returns the configured device that the object belongs to; `nil` for adapters and for other devices.
    func device(of path: ObjectPath) -> Int? {
        guard let address = BluetoothAddress(device: path) else { return nil }
        return device(at: address) ?? (aliases.devices.isEmpty ? nil : aliases.devices[address])
    }

    /// Returns the first configured device with this address.
    func device(at address: BluetoothAddress) -> Int? {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle].address < address { low = middle + 1 } else { high = middle }
        }
        return low < ids.count && ids[low].address == address ? ids[low].id : nil
    }

    /// Queries BlueZ for the objects of all other devices; `nil` when the query fails.
    func queryOthers(on bus: any Bus) async -> [ObjectPath: ManagedObject]? {
        await Self.query(on: bus) { [self] in Self.isDeviceObject($0) && device(of: $0) == nil }
    }

    /// Queries BlueZ for some of its objects; `nil` when the query fails.
    static func query(
        on bus: any Bus, where isWanted: @escaping @Sendable (ObjectPath) -> Bool
    ) async -> [ObjectPath: ManagedObject]? {
        let options = MethodCall.Options(largestReply: 128 << 20, wants: isWanted)
        let all = try? await bus.object(Bluez.service, at: .root).call(
            ObjectManager.getManagedObjects, within: .seconds(20), options: options)
        return all?.objects
    }

    /// Whether the object is a device or belongs to a device, configured or not.
    static func isInDevice(_ path: ObjectPath) -> Bool {
        var text = path.text
        return text.withUTF8 { BluetoothAddress.addressStart(in: $0) != nil }
    }

    /// Whether the object is a device, configured or not.
    static func isDeviceObject(_ path: ObjectPath) -> Bool {
        var text = path.text
        return text.withUTF8 { bytes in
            BluetoothAddress.addressStart(in: bytes).map { bytes.count - $0 == BluetoothAddress.length } ?? false
        }
    }
}

extension BluetoothAddress {
    /// Reads the address in `/org/bluez/hci0/dev_F0_00_00_00_00_01/…`; `nil` for any other path.
    package init?(device path: ObjectPath) {
        var text = path.text
        let bits = text.withUTF8 { bytes -> UInt64? in
            guard let start = Self.addressStart(in: bytes), bytes.count - start >= Self.length else { return nil }
            var bits: UInt64 = 0
            for index in stride(from: start, to: start + Self.length, by: 3) {
                guard let high = bytes[index].hexDigit, let low = bytes[index + 1].hexDigit else { return nil }
                bits = bits << 8 | UInt64(high << 4 | low)
                if index > start, bytes[index - 1] != UInt8(ascii: "_") { return nil }
            }
            return bits
        }
        guard let bits else { return nil }
        self.init(bits: bits)
    }

    fileprivate static let length = 17

    /// Returns the index after `dev_` in a device's path.
    fileprivate static func addressStart(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard var index = end(of: "/org/bluez/", at: 0, in: bytes) else { return nil }
        while index < bytes.count, bytes[index] != UInt8(ascii: "/") { index += 1 }
        return end(of: "/dev_", at: index, in: bytes)
    }

    private static func end(of text: StaticString, at start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        let end = start + text.utf8CodeUnitCount
        guard bytes.count >= end else { return nil }
        for index in start..<end where bytes[index] != text.utf8Start[index - start] { return nil }
        return end
    }
}
