import DBus

/// What BlueZ has heard of a device on the air.
public struct Advertisement: Sendable, Hashable, Identifiable {
    public var address: BluetoothAddress
    /// As the device says; any text, also a hostile one.
    public var name: String?
    /// Signal strength in dBm; `nil` when the device has not been heard since discovery began.
    public var rssi: Int?
    public var services: [BluetoothUUID]
    /// By company identifier.
    public var manufacturerData: [UInt16: [UInt8]]
    public var serviceData: [BluetoothUUID: [UInt8]]

    public var id: BluetoothAddress { address }

    /// `nil` when there is no device at `path`.
    init?(at path: ObjectPath, in tree: ObjectTree) {
        guard let address = tree[path, Device1.address].flatMap({ BluetoothAddress($0) }) else { return nil }
        self.address = address
        name = tree[path, Device1.deviceName]
        rssi = tree[path, Device1.rssi].map { Int($0) }
        services = (tree[path, Device1.uuids] ?? []).prefix(64).compactMap { BluetoothUUID($0) }
        let company = tree[path, Device1.manufacturerData] ?? [:]
        manufacturerData = company.compactMapValues { [UInt8]($0.content) }
        let data = (tree[path, Device1.serviceData] ?? [:]).compactMap { key, value in
            BluetoothUUID(key).flatMap { uuid in [UInt8](value.content).map { (uuid, $0) } }
        }
        serviceData = Dictionary(data, uniquingKeysWith: { first, _ in first })
    }
}
