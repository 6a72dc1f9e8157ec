/// What an advertisement says, in whichever of the known formats it is.
public enum Broadcast: Sendable, Hashable {
    case bthome(BTHome)
    case ruuvi(Ruuvi)
    case eddystone(Eddystone)
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

    public var measurements: [Measurement] {
        switch self {
        case .bthome(let packet): packet.measurements
        case .ruuvi(let packet): packet.measurements
        case .eddystone(let frame): frame.measurements
        case .iBeacon(let beacon): beacon.measurements
        }
    }

    /// What tells a packet from the ones before it; packets of the same number are repetitions. `nil` where the format
    /// has no such number, or the device does not send it: then the octets tell.
    public var packetNumber: UInt32? {
        switch self {
        case .bthome(let packet): packet.packetNumber
        case .ruuvi(let packet): packet.sequence
        case .eddystone, .iBeacon: nil
        }
    }

    /// The octets under a service's number, if that service has a format which is known here. `nil` otherwise.
    ///
    /// - Throws: `DecodeError`: the format is known, and the octets are not of it.
    public static func serviceData(
        _ octets: [UInt8], of service: BluetoothUUID, from address: BluetoothAddress, key: AdvertisementKey? = nil
    ) throws(DecodeError) -> Broadcast? {
        switch service {
        case BTHome.service: .bthome(try BTHome(octets, from: address, key: key))
        case Eddystone.service: .eddystone(try Eddystone(octets))
        default: nil
        }
    }

    /// The octets under a company's number, if that company has a format which is known here. `nil` otherwise.
    ///
    /// - Throws: `DecodeError`: the format is known, and the octets are not of it.
    public static func manufacturerData(
        _ octets: [UInt8], of company: UInt16
    ) throws(DecodeError) -> Broadcast? {
        switch company {
        case Ruuvi.company: .ruuvi(try Ruuvi(octets))
        case IBeacon.company where IBeacon.isOne(octets): .iBeacon(try IBeacon(octets))
        default: nil
        }
    }
}
