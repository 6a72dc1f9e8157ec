/// The values in an advertisement, in a format that blekeep knows. ``BroadcastDecoder`` decodes them.
public enum Broadcast: Sendable, Hashable {
    /// A BTHome packet.
    case bthome(BTHome)
    /// A packet of a Ruuvi tag or air monitor.
    case ruuvi(Ruuvi)
    /// An Eddystone frame.
    case eddystone(Eddystone)
    /// An iBeacon.
    case iBeacon(IBeacon)
    /// A packet in any other format.
    case sensor(SensorPacket)

    /// The packet's format.
    public var format: BroadcastFormat {
        switch self {
        case .bthome: .bthome
        case .ruuvi: .ruuvi
        case .eddystone: .eddystone
        case .iBeacon: .ibeacon
        case .sensor(let packet): packet.format
        }
    }

    /// The values of the packet; pressure in Pa.
    public var measurements: [Measurement] {
        switch self {
        case .bthome(let packet): packet.measurements
        case .ruuvi(let packet): packet.measurements
        case .eddystone(let frame): frame.measurements
        case .iBeacon(let beacon): beacon.measurements
        case .sensor(let packet): packet.measurements
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
        case .sensor(let packet): packet.number
        }
    }

    /// The counter of an encrypted packet; `nil` for other packets.
    public var counter: PacketCounter? {
        switch self {
        case .bthome(let packet): packet.counter.map { PacketCounter(value: $0, bits: 32) }
        case .sensor(let packet): packet.counter
        case .ruuvi, .eddystone, .iBeacon: nil
        }
    }

    /// Returns this packet, if it may have values of a device with this key. Throws `plain`.
    func admitted(with key: AdvertisementKey?) throws(DecodeError) -> Broadcast {
        if key != nil, counter == nil, !measurements.isEmpty { throw .plain }
        return self
    }

    /// Decodes stored bytes again, without their company but with the name of their format; returns `nil` when that needs
    /// more of the advertisement, such as the device's name.
    package static func packet(
        _ bytes: [UInt8], named name: String, service: BluetoothUUID?, from address: BluetoothAddress,
        key: AdvertisementKey? = nil
    ) -> Broadcast? {
        guard let row = BroadcastTable.rows.first(where: { $0.format.name == name }) else { return nil }
        let sources = service.map { [.service($0)] } ?? row.sources.filter(\.isCompany)
        // The number that holds values changes no decimals.
        for source in sources.isEmpty && row.companyIsValue ? [.company(0)] : sources {
            var data = AdvertisedData(address: address)
            switch source {
            case .company(let company): data.manufacturerData[company] = bytes
            case .service(let service): data.serviceData[service] = bytes
            }
            let input = BroadcastInput(bytes: bytes, source: source, data: data, key: key, isChosen: true)
            if let broadcast = try? row.decode(input) { return broadcast }
        }
        return nil
    }
}
