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
            // A pipe was read already.
            (try? ConfigurationFile.read(file, mayWait: false)).map {
                ConfigurationParser($0, file: file, names: Composition.characteristicNames).part
            }
        }
        self.options = options
        self.environment = environment
    }

    var settings: [Setting] {
        let adapter = parts.compactMap(\.adapter).first
        let chosenAdapter = options.adapter ?? configuration.poll.adapter
        let interval = parts.compactMap(\.interval).first
        let throttle = parts.compactMap(\.throttle).first
        let links = parts.compactMap(\.maxLinks).first
        let conduct = parts.compactMap(\.onStop).first
        let timeout = options.timeout.map { DurationText.text($0.duration) }
        let level = options.level == .trace ? "verbose" : options.level.rawValue
        let levelOption = options.verbose > 0 ? "-v" : options.quiet ? "-q" : "--log-level"
        return [
            Setting(
                key: "adapter", value: .text(chosenAdapter?.description ?? "the first adapter that is on"),
                origin: said(.adapter, "-a", options.adapter?.description) ?? Setting.origin(adapter?.place),
                isRemark: chosenAdapter == nil),
            Setting(
                key: "interval", value: .text(DurationText.text(configuration.poll.interval)),
                origin: Setting.origin(interval?.place)),
            Setting(
                key: "throttle", value: .text(DurationText.text(configuration.poll.throttle)),
                origin: Setting.origin(throttle?.place)),
            Setting(
                key: "max_links", value: .number(configuration.poll.maxLinks), origin: Setting.origin(links?.place)),
            Setting(
                key: "on_stop", value: .text(configuration.poll.onStop.rawValue), origin: Setting.origin(conduct?.place)
            ),
            Setting(
                key: "bus", value: .text(Composition.busAddress(options)),
                origin: said(.bus, "--bus", options.bus)
                    ?? (environment["DBUS_SYSTEM_BUS_ADDRESS"] == nil ? "default" : "DBUS_SYSTEM_BUS_ADDRESS"),
                isRemark: true),
            Setting(
                key: "timeout", value: .text(timeout ?? "none"),
                origin: said(.timeout, "--timeout", timeout) ?? "default", isRemark: true),
            Setting(
                key: "log_level", value: .text(level),
                origin: said(.logLevel, levelOption, level == "notice" && options.logLevel == nil ? nil : level)
                    ?? "default", isRemark: true),
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
        Setting.all(of: configuration.poll.power, parts.first { $0.power != nil }?.powerPlaces ?? [:])
    }

    var recovery: [Setting] {
        Setting.all(of: configuration.poll.recovery, parts.first { $0.recovery != nil }?.recoveryPlaces ?? [:])
    }

    var metrics: [Setting] {
        guard let metrics = configuration.metrics else { return [] }
        let origin = Setting.origin(parts.compactMap(\.metrics).first?.place)
        return [Setting(key: "textfile", value: .text(metrics.folder), origin: origin)]
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

    static func name(_ point: CharacteristicConfiguration) -> String {
        AssignedNumbers.characteristicName(point.characteristic) ?? ""
    }
}

extension NoticeConfiguration {
    /// The names of its events, in the order of `NoticeEvent`.
    var names: [String] { NoticeEvent.allCases.filter(events.contains).map(\.rawValue) }
}
