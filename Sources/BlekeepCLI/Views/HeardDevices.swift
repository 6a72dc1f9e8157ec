import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import RunLoop

struct HeardDevice {
    /// The last advertisement, with the last name and signal strength.
    fileprivate(set) var heard: Advertisement
    fileprivate(set) var at: Uptime
    private var decoder: BroadcastDecoder
    /// The newest packet of each source.
    private var packets: [BroadcastDecoder.Packet] = []
    private let recipes: [Recipe]
    /// The recipes that its advertisements fit, and how well; they may lie.
    private(set) var recognized: (recipes: [Recipe], match: Recipe.Match)?
    /// What `recognized` goes by.
    private var traits: Recipe.Traits?

    /// The limit for devices that send ever new numbers.
    private static let maxPackets = 16

    fileprivate init(_ heard: Advertisement, decoder: BroadcastDecoder, recipes: [Recipe], at now: Uptime) {
        self.heard = heard
        self.decoder = decoder
        self.recipes = recipes
        at = now
        decode(heard)
    }

    var values: AdvertisedValues { AdvertisedValues(packets) }

    /// - Returns: whether more than the signal strength is new.
    fileprivate mutating func hear(_ new: Advertisement, at now: Uptime) -> Bool {
        var merged = new
        merged.name = new.name ?? heard.name
        merged.rssi = new.rssi ?? heard.rssi
        var before = heard
        (before.rssi, before.change, before.path) = (merged.rssi, merged.change, merged.path)
        if heard.path != new.path { decoder.forget() }
        (heard, at) = (merged, now)
        decode(new)
        return before != merged
    }

    /// What is known of it: the recipe that it fits, and the values that it advertises.
    var text: String { [title, values.text.isEmpty ? nil : values.text].compactMap(\.self).joined(separator: "; ") }

    /// The same for a narrow column, which cuts items off at the end: the values come first. Without any, the services.
    fileprivate var brief: String {
        let items = values.items + [title].compactMap(\.self)
        return items.isEmpty ? ServiceNames.text(heard.services) : items.joined(separator: ", ")
    }

    private var title: String? {
        let titles = (recognized?.recipes ?? []).map { Untrusted($0.title).description }
        let title = titles.count <= 2 ? titles.joined(separator: " or ") : "\(titles[0]) or another"
        return switch recognized?.match {
        case .yes?: title
        case .ifRead?: "perhaps \(title)"
        case .never?: "\(title), which must not be connected"
        case .no?, nil: nil
        }
    }

    /// `{"name":"miflora","title":"Mi Flora","match":"yes"}`; `nil` when no recipe fits.
    var recipe: JSON? {
        recognized.flatMap { recipes, match in
            guard let recipe = recipes.first else { return nil }
            let word: String =
                switch match {
                case .yes: "yes"
                case .ifRead: "perhaps"
                case .never: "never_connect"
                case .no: "no"
                }
            return .object(["name": .text(recipe.name), "title": .text(recipe.title), "match": .text(word)])
        }
    }

    /// The name of the page about such devices; `nil` without one.
    var page: String? { FamilyPage.name(recipe: recognized?.recipes.first?.name, formats: values.formats) }

    private mutating func decode(_ new: Advertisement) {
        let traits = Recipe.Traits(heard.data)
        if traits != self.traits { recognized = RecipeCatalogue.match(traits, in: recipes) }
        self.traits = traits
        for packet in decoder.decode(new.data, change: new.change) {
            // The number of a value is another one each time.
            let isValue = packet.broadcast?.format.companyIsValue == true && packet.source.isCompany
            let isFormer = { (former: BroadcastDecoder.Packet) in
                former.source == packet.source || isValue && former.source.isCompany
            }
            let place = packets.firstIndex(where: isFormer) ?? packets.count
            packets.removeAll(where: isFormer)
            packets.insert(packet, at: min(place, packets.count))
        }
        packets.removeAll { packet in
            packet.broadcast == nil && new.data[packet.source] == nil || packet.format.map(decoder.accepts) == false
        }
        if packets.count > Self.maxPackets { packets.removeFirst(packets.count - Self.maxPackets) }
    }
}

/// The devices that a scan heard, in the order of their first advertisement.
struct HeardDevices {
    private(set) var devices: [HeardDevice] = []
    private var places: [BluetoothAddress: Int] = [:]
    private let decoder: (BluetoothAddress) -> BroadcastDecoder
    private let recipes: [Recipe]

    /// The limit for busy places. Beyond it, the device that was silent the longest is dropped.
    static let maxDevices = 512

    /// - Parameters:
    ///   - configured: the devices whose formats, keys and media the user chose.
    ///   - polled: the devices that `poll` knows.
    ///   - recipes: those that devices may fit.
    init(_ configured: [DeviceConfiguration] = [], polled: [DeviceStatus] = [], recipes: [Recipe] = []) {
        self.recipes = recipes
        let devices = Dictionary(configured.map { ($0.address, $0) }) { $1 }
        let identities = Dictionary(polled.map { ($0.address, $0.identity) }) { $1 }
        decoder = { address in
            BroadcastDecoder(
                format: devices[address]?.format, key: devices[address]?.key, medium: devices[address]?.medium,
                model: devices[address]?.model, identity: (identities[address] ?? nil) ?? BroadcastIdentity())
        }
    }

    /// Takes an advertisement. Returns the device, and whether more than the signal strength is new.
    mutating func hear(_ heard: Advertisement, at now: Uptime) -> (device: HeardDevice, isNews: Bool) {
        if let place = places[heard.address] {
            let isNews = devices[place].hear(heard, at: now)
            return (devices[place], isNews)
        }
        if devices.count >= Self.maxDevices, let oldest = devices.indices.min(by: { devices[$0].at < devices[$1].at }) {
            devices.remove(at: oldest)
            places = Dictionary(uniqueKeysWithValues: devices.enumerated().map { ($1.heard.address, $0) })
        }
        places[heard.address] = devices.count
        let device = HeardDevice(heard, decoder: decoder(heard.address), recipes: recipes, at: now)
        devices.append(device)
        return (device, true)
    }

    func table(at now: Uptime, aliases: [BluetoothAddress: String]) -> Table {
        var table = Table(columns: [
            .init(title: "NAME", narrowest: 10), .init(title: "ADDRESS"), .init(title: "RSSI", isNumeric: true),
            .init(title: "SIGNAL", expendability: 3), .init(title: "SERVICES", narrowest: 8, expendability: 4),
            .init(title: "SAYS", narrowest: 30, expendability: 1),
            .init(title: "AGE", isNumeric: true, expendability: 2),
        ])
        table.rows = devices.map { device in
            let heard = device.heard
            return [
                Self.name(heard, alias: aliases[heard.address]), .init(heard.address.description),
                .init(heard.rssi.map { "\($0)" } ?? ""), SignalBar.cell(heard.rssi),
                .init(ServiceNames.text(heard.services), cut: .items),
                .init(device.brief, cut: .items),
                .init(AgeText.text(now - device.at), .faint),
            ]
        }
        return table
    }

    private static func name(_ heard: Advertisement, alias: String?) -> Table.Cell {
        let name = heard.name.map { Untrusted($0).description } ?? ""
        guard let alias, alias != heard.name else { return name.isEmpty ? .init("–", .faint) : .init(name) }
        return .init(name.isEmpty ? alias : "\(alias) (\(name))", .accent)
    }
}

enum SignalBar {
    static func cell(_ rssi: Int?) -> Table.Cell {
        guard let rssi else { return .init("") }
        let level =
            switch rssi {
            case (-55)...: 5
            case (-65)...: 4
            case (-75)...: 3
            case (-85)...: 2
            default: 1
            }
        let text = String(repeating: "▮", count: level) + String(repeating: "▯", count: 5 - level)
        return .init(text, level >= 4 ? .good : level >= 2 ? .warning : .bad)
    }
}

/// The official names of services, or the UUIDs of services without a name.
enum ServiceNames {
    /// Those that every device has.
    private static let common = [BluetoothUUID(0x1800), BluetoothUUID(0x1801)]

    /// Returns the names without those that every device has.
    static func text(_ services: [BluetoothUUID]) -> String {
        services.filter { !common.contains($0) }.map { AssignedNumbers.serviceName($0) ?? $0.description }.joined(
            separator: ", ")
    }
}

enum AgeText {
    static func text(_ age: Duration) -> String {
        let seconds = max(0, age.components.seconds)
        return switch seconds {
        case ..<60: "\(seconds)s"
        case ..<3600: "\(seconds / 60)m"
        case ..<86_400: "\(seconds / 3600)h"
        default: "\(seconds / 86_400)d"
        }
    }
}
