/// The formats of advertisements, and the company numbers and services that each one takes.
enum BroadcastTable {
    struct Row: Sendable {
        let format: BroadcastFormat
        let sources: [AdvertisedData.Source]
        /// The beginnings of the names of devices that use other company numbers, too.
        let names: [String]
        /// Whether devices send values instead of a company number.
        let takesAnyCompany: Bool
        let decode: Decode

        /// Returns `nil` for bytes of another format.
        typealias Decode = @Sendable (BroadcastInput) throws(DecodeError) -> Broadcast?

        init(
            _ format: BroadcastFormat, companies: [UInt16] = [], services: [BluetoothUUID] = [], names: [String] = [],
            takesAnyCompany: Bool = false, decode: @escaping Decode
        ) {
            self.format = format
            sources = companies.map { .company($0) } + services.map { .service($0) }
            self.names = names
            self.takesAnyCompany = takesAnyCompany
            self.decode = decode
        }
    }

    static let rows = [
        Row(.bthome, services: [BTHome.service]) { input throws(DecodeError) in
            .bthome(try BTHome(input.bytes, from: input.data.address, key: input.key))
        },
        Row(.ruuvi, companies: [Ruuvi.company]) { input throws(DecodeError) in .ruuvi(try Ruuvi(input.bytes)) },
        Row(.eddystone, services: [Eddystone.service]) { input throws(DecodeError) in
            .eddystone(try Eddystone(input.bytes))
        },
        Row(.ibeacon, companies: [IBeacon.company]) { input throws(DecodeError) in
            IBeacon.matches(input.bytes) ? .iBeacon(try IBeacon(input.bytes)) : nil
        },
        Row(.atc, services: [ATC.service], decode: ATC.decode),
        Row(.mibeacon, services: [MiBeacon.service], decode: MiBeacon.decode),
        Row(.govee, companies: Govee.companies, names: Govee.names, decode: Govee.decode),
        Row(.thermopro, names: ThermoPro.names, takesAnyCompany: true, decode: ThermoPro.decode),
        Row(
            .inkbird, companies: Inkbird.companies, names: Inkbird.names, takesAnyCompany: true, decode: Inkbird.decode),
        Row(.qingping, services: [Qingping.service], decode: Qingping.decode),
        Row(.switchbot, companies: [SwitchBot.company], services: SwitchBot.services, decode: SwitchBot.decode),
        Row(.mopeka, companies: [Mopeka.company], decode: Mopeka.decode),
    ]

    /// Returns the row of a format.
    static func row(of format: BroadcastFormat) -> Row? { rows.first { $0.format == format } }

    /// Returns the rows that may decode some bytes. The device's name counts more than the source.
    static func rows(
        for source: AdvertisedData.Source, in data: AdvertisedData, chosen: BroadcastFormat?
    ) -> [Row] {
        let isCompany = source.isCompany
        if let chosen {
            return rows.filter {
                $0.format == chosen && ($0.sources.contains(source) || isCompany && $0.takesAnyCompany)
            }
        }
        let named = isCompany ? rows.filter { row in row.names.contains { data.name?.hasPrefix($0) == true } } : []
        // Their company numbers are values, which another format's number may equal.
        if named.contains(where: \.takesAnyCompany) { return named }
        return named
            + rows.filter { row in row.sources.contains(source) && !named.contains { $0.format == row.format } }
    }
}
