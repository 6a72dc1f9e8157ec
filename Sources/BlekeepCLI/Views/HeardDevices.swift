import Blekeep
import BlekeepOutputs
import RunLoop

/// The devices that a scan heard, in the order of their first advertisement.
struct HeardDevices {
    private(set) var devices: [(heard: Advertisement, at: Uptime)] = []
    private var places: [BluetoothAddress: Int] = [:]

    /// The limit for busy places. Beyond it, the device that was silent the longest is dropped.
    static let most = 512

    /// Takes an advertisement.
    ///
    /// - Returns: whether more than the signal strength is new.
    mutating func hear(_ heard: Advertisement, at now: Uptime) -> Bool {
        if let place = places[heard.address] {
            var before = devices[place].heard
            var merged = heard
            merged.name = heard.name ?? before.name
            merged.rssi = heard.rssi ?? before.rssi
            devices[place] = (merged, now)
            before.rssi = merged.rssi
            return before != merged
        }
        if devices.count >= Self.most, let oldest = devices.indices.min(by: { devices[$0].at < devices[$1].at }) {
            devices.remove(at: oldest)
            places = Dictionary(uniqueKeysWithValues: devices.enumerated().map { ($1.heard.address, $0) })
        }
        places[heard.address] = devices.count
        devices.append((heard, now))
        return true
    }

    func table(at now: Uptime, aliases: [BluetoothAddress: String]) -> Table {
        var table = Table(columns: [
            .init(title: "NAME", narrowest: 10), .init(title: "ADDRESS"), .init(title: "RSSI", isNumeric: true),
            .init(title: "SIGNAL", expendability: 2), .init(title: "SERVICES", narrowest: 8, expendability: 3),
            .init(title: "SAYS", narrowest: 12, expendability: 4),
            .init(title: "AGE", isNumeric: true, expendability: 1),
        ])
        table.rows = devices.map { heard, at in
            [
                Self.name(heard, aliases[heard.address]), .init(heard.address.description),
                .init(heard.rssi.map { "\($0)" } ?? ""), SignalBar.cell(heard.rssi),
                .init(ServiceNames.text(heard.services), cut: .items),
                .init(AdvertisedValues(heard.data).text, cut: .items),
                .init(AgeText.text(now - at), .faint),
            ]
        }
        return table
    }

    private static func name(_ heard: Advertisement, _ alias: String?) -> Table.Cell {
        let name = heard.name.map { Untrusted($0).description } ?? ""
        guard let alias, alias != heard.name else { return name.isEmpty ? .init("–", .faint) : .init(name) }
        return .init(name.isEmpty ? alias : "\(alias) (\(name))", .accent)
    }
}

/// The signal strength as a bar.
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

/// An age in one unit.
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
