import DBus

/// Which of BlueZ's objects belong to which configured device: by the address in their path.
struct DevicePaths: Sendable {
    private let ids: [BluetoothAddress: DeviceID]
    /// Paths that bear another address than their device has now.
    let aliases = PathAliases()

    init(_ addresses: [BluetoothAddress]) {
        ids = Dictionary(zip(addresses, addresses.indices), uniquingKeysWith: { first, _ in first })
    }

    /// The device that this object is, or is a part of; `nil` for adapters and for devices of others.
    func device(of path: ObjectPath) -> DeviceID? {
        Self.address(in: path).flatMap { ids[$0] ?? aliases.devices[$0] }
    }

    /// The configured device of this address.
    func device(at address: BluetoothAddress) -> DeviceID? { ids[address] }

    /// Whether the object is a device or a part of one, anybody's.
    static func isDevice(_ path: ObjectPath) -> Bool { name(in: path) != nil }

    /// The address in `/org/bluez/hci0/dev_F0_00_00_00_00_01/…`.
    static func address(in path: ObjectPath) -> BluetoothAddress? {
        guard let name = name(in: path) else { return nil }
        var bits: UInt64 = 0
        var count = 0
        for octet in name.prefix(length) {
            if count % 3 == 2 {
                guard octet == UInt8(ascii: "_") else { return nil }
            } else {
                guard let digit = digit(octet) else { return nil }
                bits = bits << 4 | UInt64(digit)
            }
            count += 1
        }
        return count == length ? BluetoothAddress(bits: bits) : nil
    }

    private static let length = "F0_00_00_00_00_01".utf8.count

    /// What follows `dev_` in the third element.
    private static func name(in path: ObjectPath) -> Substring.UTF8View? {
        let octets = path.text.utf8
        guard octets.starts(with: "/org/bluez/".utf8) else { return nil }
        guard let slash = octets.dropFirst("/org/bluez/".utf8.count).firstIndex(of: UInt8(ascii: "/")),
            octets[slash...].starts(with: "/dev_".utf8)
        else { return nil }
        return octets[slash...].dropFirst("/dev_".utf8.count)
    }

    private static func digit(_ octet: UInt8) -> UInt8? {
        switch octet {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): octet - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): octet - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
