import DBus

/// The advertisement of a nearby device. `Central.scan` returns these.
///
/// BlueZ merges a device's packets, and keeps the values of earlier ones. The source of each value is a property of
/// BlueZ's interface `org.bluez.Device1`. `BroadcastDecoder` decodes the data of known formats.
public struct Advertisement: Sendable, Hashable, Identifiable {
    /// The device's address. BlueZ: `Address`.
    public var address: BluetoothAddress
    /// The device's name; any text, even a hostile one. BlueZ: `Name`.
    public var name: String?
    /// The signal strength in dBm; `nil` when blekeep hasn't heard the device since discovery began. BlueZ: `RSSI`.
    public var rssi: Int?
    /// The services that the device offers, at most 64. BlueZ: `UUIDs`.
    public var services: [BluetoothUUID]
    /// The manufacturer data by company number. BlueZ: `ManufacturerData`.
    public var manufacturerData: [UInt16: [UInt8]]
    /// The service data by service. BlueZ: `ServiceData`.
    public var serviceData: [BluetoothUUID: [UInt8]]

    /// What is new in the advertisement.
    public var change: AdvertisedData.Change
    /// The device's object. Each adapter that hears the device has one.
    package var path: ObjectPath

    /// What `BroadcastDecoder` decodes.
    public var data: AdvertisedData {
        AdvertisedData(
            address: address, name: name, services: services, manufacturerData: manufacturerData,
            serviceData: serviceData)
    }

    /// The device's address.
    public var id: BluetoothAddress { address }

    /// `nil` when there is no device at `path`.
    init?(at path: ObjectPath, in tree: ObjectTree, _ change: AdvertisedData.Change = .known) {
        guard let address = tree[path, Device1.address].flatMap({ BluetoothAddress($0) }) else { return nil }
        self.address = address
        self.change = change
        self.path = path
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

extension AdvertisedData.Change {
    /// `nil` when none of the properties that changed is part of an advertisement's data.
    init?(properties names: [String]) {
        guard names.contains(where: Self.properties.contains) else { return nil }
        self = .changed(
            manufacturerData: names.contains(Device1.manufacturerData.name.text),
            serviceData: names.contains(Device1.serviceData.name.text))
    }

    private static let properties: Set = [
        Device1.manufacturerData.name.text, Device1.serviceData.name.text, Device1.deviceName.name.text,
        Device1.uuids.name.text,
    ]
}
