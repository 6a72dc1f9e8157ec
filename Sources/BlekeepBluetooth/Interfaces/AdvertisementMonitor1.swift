import DBus

/// A monitor of advertisements, exported by blekeep and called by bluetoothd.
package enum AdvertisementMonitor1: Interface {
    package static let name: InterfaceName = "org.bluez.AdvertisementMonitor1"

    package static let release: Method<Nothing> = method("Release")
    package static let activate: Method<Nothing> = method("Activate")
    package static let deviceFound: Method<Nothing, ObjectPath> = method("DeviceFound")
    package static let deviceLost: Method<Nothing, ObjectPath> = method("DeviceLost")

    package static let type: Property<String> = property("Type")
    package static let patterns: Property<[AdvertisementPattern]> = property("Patterns")

    package static let members: [any Member] = [release, activate, deviceFound, deviceLost, type, patterns]
}

/// A pattern of advertisements: bytes of an element, from an offset.
package struct AdvertisementPattern: WireType, Hashable {
    package var start: UInt8
    /// The element's type, such as 0x01 for flags.
    package var element: UInt8
    package var bytes: [UInt8]

    package init(start: UInt8 = 0, element: UInt8, _ bytes: [UInt8]) {
        self.start = start
        self.element = element
        self.bytes = bytes
    }

    package static let signature: Signature = "(yyay)"

    package init?(_ value: Value) {
        guard case .structure(let members) = value, members.count == 3, let start = UInt8(members[0]),
            let element = UInt8(members[1]), let bytes = [UInt8](members[2])
        else { return nil }
        self.init(start: start, element: element, bytes)
    }

    package var value: Value { .structure([start.value, element.value, bytes.value]) }
}
