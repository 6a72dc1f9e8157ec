import DBus

/// A device that BlueZ knows, nearby or not. `Central.knownDevices` returns these.
///
/// The source of each value is a property of BlueZ's interface `org.bluez.Device1`.
public struct KnownDevice: Sendable, Hashable {
    /// The device's address. BlueZ: `Address`.
    public var address: BluetoothAddress
    /// The adapter that knows the device, such as `hci0`.
    public var adapter: String
    /// `public` or `random`. BlueZ: `AddressType`.
    public var addressType: String?
    /// The device's name; any text, even a hostile one. BlueZ: `Name`.
    public var name: String?
    /// The user's name for the device in BlueZ, or else its name or its address. BlueZ: `Alias`.
    public var alias: String?
    /// The number of the device's appearance; `AssignedNumbers` has its name. BlueZ: `Appearance`.
    public var appearance: UInt16?
    /// The signal strength in dBm; `nil` when BlueZ hasn't heard the device since discovery began. BlueZ: `RSSI`.
    public var rssi: Int?
    /// Whether BlueZ and the device are paired. BlueZ: `Paired`.
    public var isPaired: Bool
    /// Whether BlueZ stores the keys of the pairing. BlueZ: `Bonded`.
    public var isBonded: Bool
    /// Whether the device may connect by itself. BlueZ: `Trusted`.
    public var isTrusted: Bool
    /// Whether BlueZ refuses all connections with the device. BlueZ: `Blocked`.
    public var isBlocked: Bool
    /// Whether the device is connected, by any program. BlueZ: `Connected`.
    public var isConnected: Bool
    /// Whether BlueZ knows the device's characteristics. BlueZ: `ServicesResolved`.
    public var isResolved: Bool
    /// The services that the device offers, at most 64. BlueZ: `UUIDs`.
    public var services: [BluetoothUUID]
    /// The manufacturer data by company number. BlueZ: `ManufacturerData`.
    public var manufacturerData: [UInt16: [UInt8]]
    /// The service data by service. BlueZ: `ServiceData`.
    public var serviceData: [BluetoothUUID: [UInt8]]
    /// The battery level in percent that BlueZ itself read. BlueZ: `Percentage` of `org.bluez.Battery1`.
    public var battery: Int?

    /// What `BroadcastDecoder` decodes.
    public var data: AdvertisedData {
        AdvertisedData(
            address: address, name: name, services: services, manufacturerData: manufacturerData,
            serviceData: serviceData)
    }

    /// `nil` when there is no device at `path`.
    package init?(at path: ObjectPath, in tree: ObjectTree) {
        guard let heard = Advertisement(at: path, in: tree) else { return nil }
        address = heard.address
        adapter = path.parent.map { String($0.name) } ?? ""
        addressType = tree[path, Device1.addressType]
        name = heard.name
        alias = tree[path, Device1.alias]
        appearance = tree[path, Device1.appearance]
        rssi = heard.rssi
        isPaired = tree[path, Device1.paired] ?? false
        isBonded = tree[path, Device1.bonded] ?? false
        isTrusted = tree[path, Device1.trusted] ?? false
        isBlocked = tree[path, Device1.blocked] ?? false
        isConnected = tree[path, Device1.connected] ?? false
        isResolved = tree[path, Device1.servicesResolved] ?? false
        services = heard.services
        manufacturerData = heard.manufacturerData
        serviceData = heard.serviceData
        battery = tree[path, Battery1.percentage].map { Int($0) }
    }
}
