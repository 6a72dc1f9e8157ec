/// The data of an advertisement. ``BroadcastDecoder`` decodes it.
public struct AdvertisedData: Sendable, Hashable {
    /// The device's address.
    public var address: BluetoothAddress
    /// The device's name; `nil` when it advertises none. Some formats are recognized by it.
    public var name: String?
    /// The services that the device advertises.
    public var services: [BluetoothUUID]
    /// The manufacturer data by company number.
    public var manufacturerData: [UInt16: [UInt8]]
    /// The service data by service.
    public var serviceData: [BluetoothUUID: [UInt8]]

    /// Creates the data of an advertisement.
    public init(
        address: BluetoothAddress, name: String? = nil, services: [BluetoothUUID] = [],
        manufacturerData: [UInt16: [UInt8]] = [:], serviceData: [BluetoothUUID: [UInt8]] = [:]
    ) {
        self.address = address
        self.name = name
        self.services = services
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
    }

    /// How the data became known.
    public enum Change: Sendable, Hashable {
        /// BlueZ knew the device before. All data may be old.
        case known
        /// BlueZ just heard the device for the first time.
        case added
        /// BlueZ reported these parts again. The name or the services may have changed, too.
        case changed(manufacturerData: Bool, serviceData: Bool)
    }

    /// The key of some bytes in the advertisement.
    public enum Source: Sendable, Hashable {
        /// Manufacturer data of this company.
        case company(UInt16)
        /// Service data of this service.
        case service(BluetoothUUID)

        package var isCompany: Bool { if case .company = self { true } else { false } }
    }

    /// The sources of this advertisement: companies by number, then services.
    public var sources: [Source] {
        manufacturerData.keys.sorted().map { .company($0) } + serviceData.keys.sorted().map { .service($0) }
    }

    /// The bytes of a source; `nil` when the advertisement lacks it.
    public subscript(source: Source) -> [UInt8]? {
        switch source {
        case .company(let company): manufacturerData[company]
        case .service(let service): serviceData[service]
        }
    }
}
