import DBus

/// A device as BlueZ knows it: heard at the moment, or from earlier.
public struct KnownDevice: Sendable, Hashable {
    public var address: BluetoothAddress
    /// The radio that knows it, such as `hci0`.
    public var adapter: String
    /// `public` or `random`.
    public var addressType: String?
    /// As the device says; any text, also a hostile one.
    public var name: String?
    /// What somebody called it in BlueZ, or else the name or the address.
    public var alias: String?
    public var appearance: UInt16?
    public var rssi: Int?
    public var isPaired: Bool
    public var isBonded: Bool
    public var isTrusted: Bool
    public var isBlocked: Bool
    public var isConnected: Bool
    public var isResolved: Bool
    public var services: [BluetoothUUID]
    /// By company identifier.
    public var manufacturerData: [UInt16: [UInt8]]
    public var serviceData: [BluetoothUUID: [UInt8]]
    /// In per cent, as BlueZ itself read it.
    public var battery: Int?

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
