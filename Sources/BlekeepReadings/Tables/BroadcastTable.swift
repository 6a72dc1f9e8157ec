/// What a format decodes.
struct BroadcastInput {
    let bytes: [UInt8]
    let source: AdvertisedData.Source
    /// The whole advertisement.
    let data: AdvertisedData
    let key: AdvertisementKey?
    /// Whether a user chose the format. Then bytes of a device without a known name may be those of any model.
    let isChosen: Bool
    /// What the sound of a tank sensor goes through, if a user chose it.
    var medium: TankMedium?
    /// The model of a SwitchBot, if a user chose it.
    var model: SwitchBotModel?

    /// The company number; `nil` for service data.
    var company: UInt16? { if case .company(let number) = source { number } else { nil } }

    /// The manufacturer data with its company number. Some devices send values instead of the number.
    var bytesWithCompany: [UInt8] {
        guard let company else { return bytes }
        return [UInt8(truncatingIfNeeded: company), UInt8(company >> 8)] + bytes
    }
}

/// The formats of advertisements, and what each one is recognized by.
enum BroadcastTable {
    struct Row: Sendable {
        let format: BroadcastFormat
        let sources: Set<AdvertisedData.Source>
        /// The beginnings of the names of devices that use other company numbers, too.
        let names: [String]
        /// The services that such devices advertise.
        let advertised: [BluetoothUUID]
        /// Whether devices send values instead of a company number.
        let companyIsValue: Bool
        /// Whether the format only identifies a device or its place. Sensors often send such packets as well.
        let isBeacon: Bool
        let decode: Decode

        /// Returns `nil` for bytes of another format.
        typealias Decode = @Sendable (BroadcastInput) throws(DecodeError) -> Broadcast?

        init(
            _ format: BroadcastFormat, companies: [UInt16] = [], services: [BluetoothUUID] = [], names: [String] = [],
            advertised: [BluetoothUUID] = [], companyIsValue: Bool = false, isBeacon: Bool = false,
            decode: @escaping Decode
        ) {
            self.format = format
            sources = Set(companies.map { .company($0) } + services.map { .service($0) })
            self.names = names
            self.advertised = advertised
            self.companyIsValue = companyIsValue
            self.isBeacon = isBeacon
            self.decode = decode
        }

        /// Creates the row of a format in `PlainFormatTable`.
        init(_ format: BroadcastFormat, plain text: String) {
            let layouts = PacketLayout.list(text)
            self.init(
                format, companies: layouts.flatMap(\.companies), services: layouts.flatMap(\.services),
                names: layouts.flatMap { $0.companyIsValue ? $0.names : [] }, advertised: layouts.flatMap(\.advertised),
                companyIsValue: layouts.contains(where: \.companyIsValue), isBeacon: format == .altbeacon
            ) { input throws(DecodeError) in
                for layout in layouts {
                    if let values = try layout.decode(input) { return .sensor(SensorPacket(format, values)) }
                }
                return nil
            }
        }

        func knows(name: String?) -> Bool { name.map { name in names.contains { name.hasPrefix($0) } } ?? false }
    }

    /// Several formats may take the same source; the first that decodes it counts.
    static let rows =
        coded
        + BroadcastFormat.allCases.compactMap { format in
            coded.contains { $0.format == format } ? nil : PlainFormatTable.texts[format].map { Row(format, plain: $0) }
        }

    private static let coded = [
        Row(.bthome, services: [BTHome.service, BTHome.oldService, BTHome.oldSecretService]) {
            input throws(DecodeError) in
            .bthome(try BTHome(input))
        },
        Row(.ruuvi, companies: [Ruuvi.company]) { input throws(DecodeError) in .ruuvi(try Ruuvi(input.bytes)) },
        Row(.eddystone, services: [Eddystone.service], isBeacon: true) { input throws(DecodeError) in
            .eddystone(try Eddystone(input.bytes))
        },
        Row(.ibeacon, companies: [IBeacon.company], isBeacon: true) { input throws(DecodeError) in
            IBeacon.matches(input.bytes) ? .iBeacon(try IBeacon(input.bytes)) : nil
        },
        Row(.atc, services: [ATC.service], decode: ATC.decode),
        Row(.mibeacon, services: [MiBeacon.service], decode: MiBeacon.decode),
        Row(
            .govee, companies: Govee.companies, names: Govee.names, advertised: Govee.services, decode: Govee.decode),
        Row(.thermopro, names: ThermoPro.names, companyIsValue: true, decode: ThermoPro.decode),
        Row(
            .inkbird, companies: Inkbird.companies, names: Inkbird.names, advertised: [Inkbird.service],
            companyIsValue: true, decode: Inkbird.decode),
        Row(.qingping, services: [Qingping.service], decode: Qingping.decode),
        Row(.switchbot, companies: SwitchBot.companies, services: SwitchBot.services, decode: SwitchBot.decode),
        Row(.mopeka, companies: [Mopeka.company], advertised: [Mopeka.service], decode: Mopeka.decode),
        Row(.victron, companies: [Victron.company], decode: Victron.decode),
        Row(
            .sensorpush, names: SensorPush.names, advertised: SensorPush.services, companyIsValue: true,
            decode: SensorPush.decode),
        Row(.inode, companies: INode.companies, decode: INode.decode),
    ]

    /// Returns the row of a format.
    static func row(of format: BroadcastFormat) -> Row? { rows.first { $0.format == format } }

    /// The services that tell formats apart.
    static let services = Set(rows.flatMap(\.advertised))

    /// Returns the rows that may decode some bytes. The device's name counts more than the source.
    static func rows(
        for source: AdvertisedData.Source, in data: AdvertisedData, chosen: BroadcastFormat?
    ) -> [Row] {
        if isIBeacon(source, in: data) {
            // Some sensors send their values as an iBeacon.
            return rows.filter { $0.sources.contains(source) && (chosen ?? $0.format) == $0.format }
                .sorted { !$0.isBeacon && $1.isBeacon }
        }
        let isCompany = source.isCompany
        if let chosen {
            return rows.filter {
                $0.format == chosen && ($0.sources.contains(source) || isCompany && !$0.names.isEmpty)
            }
        }
        let named = isCompany ? rows.filter { $0.knows(name: data.name) } : []
        // Their company numbers are values, which another format's number may equal.
        if named.contains(where: \.companyIsValue) { return named }
        return named
            + rows.filter { row in
                !named.contains { $0.format == row.format }
                    && (row.sources.contains(source)
                        || isCompany && row.advertised.contains(where: data.services.contains))
            }
    }

    /// Whether some bytes are a whole iBeacon. Values whose number equals Apple's are shorter.
    static func isIBeacon(_ source: AdvertisedData.Source, in data: AdvertisedData) -> Bool {
        guard source == .company(IBeacon.company), let bytes = data[source] else { return false }
        return IBeacon.matches(bytes) && bytes.count >= 23
    }
}
