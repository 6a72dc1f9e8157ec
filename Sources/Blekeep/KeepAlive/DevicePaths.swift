import DBus

/// Which of BlueZ's objects belong to which configured device: by the address in their path.
struct DevicePaths: Sendable {
    private let ids: [BluetoothAddress: DeviceID]

    init(_ addresses: [BluetoothAddress]) {
        ids = Dictionary(zip(addresses, addresses.indices), uniquingKeysWith: { first, _ in first })
    }

    /// The device that this object is, or is a part of; `nil` for adapters and for devices of others.
    func device(of path: ObjectPath) -> DeviceID? { BluetoothAddress(device: path).flatMap { ids[$0] } }

    /// Whether the object is a device or a part of one, anybody's.
    static func isDevice(_ path: ObjectPath) -> Bool { BluetoothAddress.name(in: path) != nil }
}

extension BluetoothAddress {
    /// The address in `/org/bluez/hci0/dev_F0_00_00_00_00_01/…`; `nil` for what is no device nor part of one.
    package init?(device path: ObjectPath) {
        guard let name = Self.name(in: path) else { return nil }
        var bits: UInt64 = 0
        var count = 0
        for octet in name.prefix(Self.length) {
            if count % 3 == 2 {
                guard octet == UInt8(ascii: "_") else { return nil }
            } else {
                guard let digit = octet.hexDigit else { return nil }
                bits = bits << 4 | UInt64(digit)
            }
            count += 1
        }
        guard count == Self.length else { return nil }
        self.init(bits: bits)
    }

    private static let length = "F0_00_00_00_00_01".utf8.count

    /// What follows `dev_` in the third element.
    fileprivate static func name(in path: ObjectPath) -> Substring.UTF8View? {
        let octets = path.text.utf8
        guard octets.starts(with: "/org/bluez/".utf8) else { return nil }
        guard let slash = octets.dropFirst("/org/bluez/".utf8.count).firstIndex(of: UInt8(ascii: "/")),
            octets[slash...].starts(with: "/dev_".utf8)
        else { return nil }
        return octets[slash...].dropFirst("/dev_".utf8.count)
    }
}
