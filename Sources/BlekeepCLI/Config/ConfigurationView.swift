import Blekeep
import BlekeepOutputs

/// What is in force, with the place where each value was said.
struct ConfigurationView {
    let configuration: Configuration
    let parts: [ConfigurationPart]
    let options: GlobalOptions
    let environment: [String: String]

    /// What the files, the environment and the command line say.
    init(_ options: GlobalOptions, environment: [String: String]) throws(Failure) {
        let loaded = try Composition.loadConfiguration(options, environment: environment)
        configuration = loaded?.configuration ?? Configuration()
        parts = (loaded?.files ?? []).compactMap { file in
            (try? ConfigurationFile.read(file)).map {
                ConfigurationParser($0, file: file, names: Composition.characteristicNames).part
            }
        }
        self.options = options
        self.environment = environment
    }

    private struct Item {
        var key: String
        var value: String?
        var origin: String
    }

    private var items: [Item] {
        let adapter = parts.compactMap(\.adapter).first
        let interval = parts.compactMap(\.interval).first
        let links = parts.compactMap(\.maxLinks).first
        let history = parts.compactMap(\.history).first
        let conduct = parts.compactMap(\.onStop).first
        let chosen = options.adapter ?? configuration.adapter
        return [
            Item(
                key: "adapter", value: chosen?.description ?? "the first that is on",
                origin: said("BLEKEEP_ADAPTER", "-a", options.adapter != nil) ?? origin(adapter?.place)),
            Item(key: "interval", value: DurationText.text(configuration.interval), origin: origin(interval?.place)),
            Item(key: "max_links", value: "\(configuration.maxLinks)", origin: origin(links?.place)),
            Item(
                key: "history",
                value: configuration.historyPath ?? HistoryPath.default(environment: environment) ?? "nowhere",
                origin: origin(history?.place)),
            Item(key: "on_stop", value: configuration.onStop.rawValue, origin: origin(conduct?.place)),
            Item(
                key: "bus", value: Composition.busAddress(options),
                origin: said("BLEKEEP_BUS", "--bus", options.bus != nil)
                    ?? (environment["DBUS_SYSTEM_BUS_ADDRESS"] == nil ? "default" : "DBUS_SYSTEM_BUS_ADDRESS")),
        ]
    }

    private func origin(_ place: ConfigurationPlace?) -> String { place?.description ?? "default" }

    /// Where an option's value was said, if it was: the variable only counts where the command line is silent.
    private func said(_ variable: String, _ option: String, _ isSaid: Bool) -> String? {
        guard isSaid else { return nil }
        let inEnvironment = environment[variable].map { !$0.isEmpty } ?? false
        let value = option == "-a" ? options.adapter?.description : options.bus
        return inEnvironment && environment[variable] == value ? variable : option
    }

    private func place(of device: DeviceConfiguration) -> String {
        let all = parts.flatMap(\.devices)
        return all.first { $0.configuration.address == device.address }?.address.description ?? "default"
    }

    // MARK: For people: YAML with comments

    var lines: [String] {
        var pairs = items.map { ("\($0.key): \(Quoted.harmless($0.value ?? ""))", $0.origin) }
        pairs.append((configuration.devices.isEmpty ? "devices: []" : "devices:", ""))
        for device in configuration.devices {
            pairs.append(("  - address: \(device.address)", place(of: device)))
            if let alias = device.alias { pairs.append(("    alias: \(YAMLString.quoted(alias))", "")) }
            if let adapter = device.adapter { pairs.append(("    adapter: \(adapter)", "")) }
            let interval = device.interval ?? configuration.interval
            pairs.append(
                ("    interval: \(DurationText.text(interval))", device.interval == nil ? "as for all" : ""))
            pairs.append(("    mode: \(device.mode.rawValue)", device.mode == .auto ? "default" : ""))
            if let name = device.keyName { pairs.append(("    key: \(YAMLString.quoted(name))", "a credential")) }
            if !device.characteristics.isEmpty { pairs.append(("    characteristics:", "")) }
            pairs += device.characteristics.map { (Self.text($0), Self.name($0)) }
        }
        let width = pairs.filter { !$0.1.isEmpty }.reduce(0) { max($0, DisplayWidth.of($1.0)) }
        return pairs.map { text, origin in
            origin.isEmpty
                ? text : text + String(repeating: " ", count: width - DisplayWidth.of(text) + 2) + "# " + origin
        }
    }

    private static func text(_ point: PointConfiguration) -> String {
        var parts = ["uuid: \(point.characteristic)"]
        if let service = point.service { parts.append("service: \(service)") }
        if let interval = point.interval { parts.append("interval: \(DurationText.text(interval))") }
        if point.notify { parts.append("notify: true") }
        if point.security != .none { parts.append("security: \(point.security.rawValue)") }
        return "      - {\(parts.joined(separator: ", "))}"
    }

    private static func name(_ point: PointConfiguration) -> String {
        AssignedNumbers.characteristicName(point.characteristic) ?? ""
    }

    // MARK: For programs

    var json: JSON {
        .object(
            items.map { item in
                (key: item.key, value: .object(["value": .text(item.value), "origin": .text(item.origin)]))
            } + [(key: "devices", value: .array(configuration.devices.map { json($0) }))])
    }

    private func json(_ device: DeviceConfiguration) -> JSON {
        .object([
            "address": .text(device.address.description), "alias": .text(device.alias),
            "adapter": .text(device.adapter?.description),
            "interval": .text(DurationText.text(device.interval ?? configuration.interval)),
            "mode": .text(device.mode.rawValue), "key": .text(device.keyName),
            "characteristics": .array(device.characteristics.map { .text($0.characteristic.description) }),
            "origin": .text(place(of: device)),
        ])
    }
}

/// Text as a YAML scalar.
enum YAMLString {
    /// In double quotes, so that nothing in it means anything.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for character in text {
            if character == "\"" || character == "\\" { quoted.append("\\") }
            quoted.append(character)
        }
        return quoted + "\""
    }
}
