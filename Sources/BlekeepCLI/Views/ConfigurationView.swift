import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs

/// All settings, with the origin of each.
struct ConfigurationView {
    let configuration: Configuration
    let parts: [ConfigurationPart]
    let options: GlobalOptions
    let environment: [String: String]

    /// The settings of the files, the environment and the command line.
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

    var settings: [Setting] {
        let adapter = parts.compactMap(\.adapter).first
        let interval = parts.compactMap(\.interval).first
        let throttle = parts.compactMap(\.throttle).first
        let links = parts.compactMap(\.maxLinks).first
        let conduct = parts.compactMap(\.onStop).first
        let timeout = options.timeout.map { DurationText.text($0.duration) }
        let level = options.level == .trace ? "verbose" : options.level.rawValue
        let levelOption = options.verbose > 0 ? "-v" : options.quiet ? "-q" : "--log-level"
        return [
            Setting(
                key: "adapter",
                text: (options.adapter ?? configuration.adapter)?.description ?? "the first adapter that is on",
                origin: said(.adapter, "-a", options.adapter?.description) ?? Setting.origin(adapter?.place)),
            Setting(
                key: "interval", text: DurationText.text(configuration.interval),
                origin: Setting.origin(interval?.place)),
            Setting(
                key: "throttle", text: DurationText.text(configuration.throttle),
                origin: Setting.origin(throttle?.place)),
            Setting(key: "max_links", text: "\(configuration.maxLinks)", origin: Setting.origin(links?.place)),
            Setting(key: "on_stop", text: configuration.onStop.rawValue, origin: Setting.origin(conduct?.place)),
            Setting(
                key: "bus", text: Composition.busAddress(options),
                origin: said(.bus, "--bus", options.bus)
                    ?? (environment["DBUS_SYSTEM_BUS_ADDRESS"] == nil ? "default" : "DBUS_SYSTEM_BUS_ADDRESS")),
            Setting(
                key: "timeout", text: timeout ?? "none", origin: said(.timeout, "--timeout", timeout) ?? "default"),
            Setting(
                key: "log_level", text: level,
                origin: said(.logLevel, levelOption, level == "notice" && options.logLevel == nil ? nil : level)
                    ?? "default"),
        ]
    }

    var history: [Setting] {
        let part = parts.first { $0.history != nil }
        var places = part?.historyPlaces ?? [:]
        // The value may be a path alone.
        if places.isEmpty { places["path"] = part?.history?.place }
        return Setting.all(of: configuration.history, path: HistoryPath.default(environment: environment), places)
    }

    var power: [Setting] {
        Setting.all(of: configuration.power, parts.first { $0.power != nil }?.powerPlaces ?? [:])
    }

    var recovery: [Setting] {
        Setting.all(of: configuration.recovery, parts.first { $0.recovery != nil }?.recoveryPlaces ?? [:])
    }

    var metrics: [Setting] {
        guard let metrics = configuration.metrics else { return [] }
        let origin = Setting.origin(parts.compactMap(\.metrics).first?.place)
        return [Setting(key: "textfile", text: metrics.folder, origin: origin)]
    }

    /// Returns the origin of an option's value; `nil` for the default. The command line overrides the variable.
    private func said(_ variable: EnvironmentVariable, _ option: String, _ value: String?) -> String? {
        guard let value else { return nil }
        return variable.value(in: environment) == value ? variable.rawValue : option
    }

    func part(of device: DeviceConfiguration) -> ConfigurationPart.Device? {
        parts.flatMap(\.devices).first { $0.configuration.address == device.address }
    }

    func settings(of device: DeviceConfiguration) -> [Setting] {
        Setting.all(of: device, in: configuration, part(of: device)?.places ?? [:])
    }

    func place(of layout: OwnLayout) -> String {
        let part = parts.flatMap(\.layouts).first { $0.layout.characteristic == layout.characteristic }
        return Setting.origin(part?.place)
    }

    // MARK: Text: YAML with comments

    var lines: [String] {
        var pairs = settings.map { ("\($0.key): \(Untrusted.whole($0.text))", $0.origin) }
        pairs.append(("history:", ""))
        pairs += history.map { ("  \($0.key): \(Untrusted.whole($0.text))", $0.origin) }
        pairs.append(("power:", ""))
        pairs += power.map { ("  \($0.key): \($0.text)", $0.origin) }
        pairs.append(("recovery:", ""))
        pairs += recovery.map { ("  \($0.key): \($0.text)", $0.origin) }
        let sinks = configuration.sinks
        if sinks != SinkConfiguration() { pairs.append(("sinks:", "")) }
        let sinksOrigin = Setting.origin(parts.compactMap(\.sinks).first?.place)
        if let file = sinks.file { pairs.append((Self.text(file), sinksOrigin)) }
        if let mqtt = sinks.mqtt { pairs += Self.lines("mqtt", mqtt.settings).map { ($0, sinksOrigin) } }
        if let influx = sinks.influx { pairs += Self.lines("influx", influx.settings).map { ($0, sinksOrigin) } }
        if let webhook = sinks.webhook { pairs += Self.lines("webhook", webhook.settings).map { ($0, sinksOrigin) } }
        if !metrics.isEmpty { pairs.append(("metrics:", "")) }
        pairs += metrics.map { ("  \($0.key): \(YAMLString.quoted($0.text))", $0.origin) }
        if !configuration.notices.isEmpty { pairs.append(("notices:", "")) }
        for notice in parts.flatMap(\.notices) {
            let run = notice.value.command.map(YAMLString.quoted).joined(separator: ", ")
            pairs.append(("  - run: [\(run)]", Setting.origin(notice.place)))
            pairs += notice.value.lines.map { ("    \($0)", "") }
        }
        pairs.append((configuration.devices.isEmpty ? "devices: []" : "devices:", ""))
        for device in configuration.devices {
            pairs.append(("  - address: \(device.address)", Setting.origin(part(of: device)?.address)))
            pairs += settings(of: device).map { ("    \($0.key): \($0.text)", $0.origin) }
            if !device.characteristics.isEmpty { pairs.append(("    characteristics:", "")) }
            pairs += device.characteristics.map { (Self.text($0), Self.name($0)) }
        }
        if !configuration.layouts.isEmpty { pairs.append(("layouts:", "")) }
        pairs += configuration.layouts.map { layout in
            let fields = layout.fields.map(\.name).filter { !$0.isEmpty }.joined(separator: ", ")
            let name = layout.name.isEmpty ? "" : ", name: \(YAMLString.quoted(layout.name))"
            return ("  - {uuid: \(layout.characteristic)\(name)}  # \(Untrusted.whole(fields))", place(of: layout))
        }
        let width = pairs.filter { !$0.1.isEmpty }.reduce(0) { max($0, DisplayWidth.of($1.0)) }
        return pairs.map { text, origin in
            origin.isEmpty
                ? text : text + String(repeating: " ", count: width - DisplayWidth.of(text) + 2) + "# " + origin
        }
    }

    private static func text(_ file: SinkConfiguration.File) -> String {
        "  file: {path: \(YAMLString.quoted(file.path)), size: \(SizeText.text(file.size)), keep: \(file.keep)}"
    }

    private static func lines(_ sink: String, _ settings: [(key: String, value: String)]) -> [String] {
        ["  \(sink):"] + settings.map { "    \($0.key): \(YAMLString.quoted($0.value))" }
    }

    private static func text(_ point: CharacteristicConfiguration) -> String {
        var parts = ["uuid: \(point.characteristic)"]
        if let service = point.service { parts.append("service: \(service)") }
        if let interval = point.interval { parts.append("interval: \(DurationText.text(interval))") }
        if let throttle = point.throttle { parts.append("throttle: \(DurationText.text(throttle))") }
        if point.notify { parts.append("notify: true") }
        if point.isWritable { parts.append("write: true") }
        if point.security != .none { parts.append("security: \(point.security.rawValue)") }
        return "      - {\(parts.joined(separator: ", "))}"
    }

    static func name(_ point: CharacteristicConfiguration) -> String {
        AssignedNumbers.characteristicName(point.characteristic) ?? ""
    }
}

extension NoticeConfiguration {
    /// The names of its events, in the order of `NoticeEvent`.
    var names: [String] { NoticeEvent.allCases.filter(events.contains).map(\.rawValue) }

    /// Its settings besides the command, as YAML.
    fileprivate var lines: [String] {
        [
            "events: [\(names.joined(separator: ", "))]", "hold_off: \(DurationText.text(holdOff))",
            "timeout: \(DurationText.text(timeout))", "battery: \(battery)",
        ]
    }
}
