import DBus

package enum Device1: Interface {
    package static let name: InterfaceName = "org.bluez.Device1"

    package static let connect: Method<Nothing> = method("Connect")
    package static let disconnect: Method<Nothing> = method("Disconnect")
    package static let pair: Method<Nothing> = method("Pair")
    package static let cancelPairing: Method<Nothing> = method("CancelPairing")

    package static let address: Property<String> = property("Address")
    package static let addressType: Property<String> = property("AddressType")
    package static let deviceName: Property<String> = property("Name")
    package static let alias: Property<String> = property("Alias", access: .readwrite)
    package static let appearance: Property<UInt16> = property("Appearance")
    package static let paired: Property<Bool> = property("Paired")
    package static let bonded: Property<Bool> = property("Bonded")
    package static let trusted: Property<Bool> = property("Trusted", access: .readwrite)
    package static let blocked: Property<Bool> = property("Blocked", access: .readwrite)
    package static let legacyPairing: Property<Bool> = property("LegacyPairing")
    package static let rssi: Property<Int16> = property("RSSI")
    package static let connected: Property<Bool> = property("Connected")
    package static let uuids: Property<[String]> = property("UUIDs")
    package static let adapter: Property<ObjectPath> = property("Adapter")
    package static let manufacturerData: Property<[UInt16: Variant]> = property("ManufacturerData")
    package static let serviceData: Property<[String: Variant]> = property("ServiceData")
    package static let servicesResolved: Property<Bool> = property("ServicesResolved")
    /// `le`, `bredr`, `last-used` or `last-seen`, for dual-mode devices; since 5.80, with `--experimental`. BlueZ stores
    /// the value. With `le`, it connects the device by itself whenever the device advertises.
    package static let preferredBearer: Property<String> = property("PreferredBearer", access: .readwrite)

    /// The reason why the connection ends, such as `org.bluez.Reason.Timeout`, and a sentence; since 5.83, before
    /// `Connected` changes.
    package static let disconnected: SignalMember<String, String> = signal("Disconnected")

    package static let members: [any Member] = [
        connect, disconnect, pair, cancelPairing,
        address, addressType, deviceName, alias, appearance, paired, bonded, trusted, blocked, legacyPairing, rssi,
        connected, uuids, adapter, manufacturerData, serviceData, servicesResolved,
        preferredBearer, disconnected,
    ]
}
