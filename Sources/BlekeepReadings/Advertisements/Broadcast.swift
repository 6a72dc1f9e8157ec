/// The values in an advertisement, in a format that blekeep knows.
///
/// ```swift
/// for try await advertisement in central.scan(for: .seconds(10)) {
///     for (company, bytes) in advertisement.manufacturerData {
///         let broadcast = try Broadcast.manufacturerData(bytes, of: company)
///         print(advertisement.address, broadcast?.measurements ?? [])
///     }
/// }
/// ```
public enum Broadcast: Sendable, Hashable {
    /// A BTHome packet.
    case bthome(BTHome)
    /// A packet of a Ruuvi tag or air monitor.
    case ruuvi(Ruuvi)
    /// An Eddystone frame.
    case eddystone(Eddystone)
    /// An iBeacon.
    case iBeacon(IBeacon)

    /// The format's name, such as `BTHome`.
    public var name: String {
        switch self {
        case .bthome: "BTHome"
        case .ruuvi: "Ruuvi"
        case .eddystone: "Eddystone"
        case .iBeacon: "iBeacon"
        }
    }

    /// The values of the packet; pressure in Pa.
    public var measurements: [Measurement] {
        switch self {
        case .bthome(let packet): packet.measurements
        case .ruuvi(let packet): packet.measurements
        case .eddystone(let frame): frame.measurements
        case .iBeacon(let beacon): beacon.measurements
        }
    }

    /// The packet's number. Devices repeat a packet with the same number.
    ///
    /// `nil` when the format has no number, or the device doesn't send it. Then repetitions have the same bytes.
    public var packetNumber: UInt32? {
        switch self {
        case .bthome(let packet): packet.packetNumber
        case .ruuvi(let packet): packet.sequence
        case .eddystone, .iBeacon: nil
        }
    }

    /// Decodes service data; returns `nil` when the service isn't that of BTHome or Eddystone.
    ///
    /// - Parameters:
    ///   - bytes: a value of an advertisement's `serviceData`.
    ///   - service: the key of this value.
    ///   - address: the device's address, which is part of BTHome's encryption.
    ///   - key: the key of an encrypted BTHome packet.
    /// - Throws: `DecodeError` when the bytes don't match the service's format.
    public static func serviceData(
        _ bytes: [UInt8], of service: BluetoothUUID, from address: BluetoothAddress, key: AdvertisementKey? = nil
    ) throws(DecodeError) -> Broadcast? {
        switch service {
        case BTHome.service: .bthome(try BTHome(bytes, from: address, key: key))
        case Eddystone.service: .eddystone(try Eddystone(bytes))
        default: nil
        }
    }

    /// Decodes manufacturer data; returns `nil` when it isn't that of Ruuvi or an iBeacon.
    ///
    /// - Parameters:
    ///   - bytes: a value of an advertisement's `manufacturerData`.
    ///   - company: the key of this value.
    /// - Throws: `DecodeError` when the bytes don't match the company's format.
    public static func manufacturerData(
        _ bytes: [UInt8], of company: UInt16
    ) throws(DecodeError) -> Broadcast? {
        switch company {
        case Ruuvi.company: .ruuvi(try Ruuvi(bytes))
        case IBeacon.company where IBeacon.matches(bytes): .iBeacon(try IBeacon(bytes))
        default: nil
        }
    }

    private static let companies = [Ruuvi.company, IBeacon.company]

    /// Decodes stored bytes again, without their company but with the name of their format.
    package static func packet(
        _ bytes: [UInt8], named name: String, service: BluetoothUUID?, from address: BluetoothAddress,
        key: AdvertisementKey? = nil
    ) -> Broadcast? {
        guard let service else {
            return companies.lazy.compactMap { try? manufacturerData(bytes, of: $0) }.first { $0.name == name }
        }
        return try? serviceData(bytes, of: service, from: address, key: key)
    }
}
