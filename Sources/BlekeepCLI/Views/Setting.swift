import Blekeep
import BlekeepConfiguration
import BlekeepOutputs

/// A setting and its origin.
struct Setting {
    var key: String
    var value: SettingValue
    /// The file with line and column, the option, the variable, or `default`.
    var origin: String
    /// Whether the configuration file has no such key, or takes the value from elsewhere without it.
    var isRemark = false

    static func origin(_ place: ConfigurationLocation?) -> String { place?.description ?? "default" }

    // MARK: History

    /// - Parameter path: the default path.
    static func all(
        of history: HistoryConfiguration, path: String?, _ places: [String: ConfigurationLocation]
    ) -> [Setting] {
        let place = Setting(
            key: "path", value: .text(history.path ?? path ?? "nowhere"), origin: origin(places["path"]),
            isRemark: history.path == nil)
        return [place]
            + [("size", history.size), ("rollups", history.rollups), ("reserve", history.reserve)].map {
                Setting(key: $0.0, value: .text(SizeText.text($0.1)), origin: origin(places[$0.0]))
            }
    }

    // MARK: Power

    static func all(
        of power: PowerConfiguration, _ places: [String: ConfigurationLocation]
    ) -> [Setting] {
        let intervals = power.intervals
        let values: [(String, SettingValue)] = [
            ("mode", .text(power.choice.rawValue)), ("battery", .text(text(intervals.battery))),
            ("low", .text(text(intervals.low))), ("critical", .text(text(intervals.critical))),
            ("wake", .flag(power.wakes)),
        ]
        return values.map { Setting(key: $0.0, value: $0.1, origin: origin(places[$0.0])) }
    }

    private static func text(_ rule: PowerIntervals.Rule) -> String {
        switch rule {
        case .every(let interval): DurationText.text(interval)
        case .times(let factor): "x\(factor)"
        case .pause: "pause"
        }
    }

    private static func text(_ own: PowerIntervals.Override) -> String {
        let rules = [("battery", own.battery), ("low", own.low), ("critical", own.critical)]
        return "{\(rules.compactMap { key, rule in rule.map { "\(key): \(text($0))" } }.joined(separator: ", "))}"
    }

    // MARK: Recovery

    static func all(of allowed: Set<RecoveryStep>, _ places: [String: ConfigurationLocation]) -> [Setting] {
        RecoveryStep.allCases.map {
            Setting(key: $0.rawValue, value: .flag(allowed.contains($0)), origin: origin(places[$0.rawValue]))
        }
    }

    // MARK: Devices

    /// Returns the settings of a device, without its address and characteristics.
    static func all(
        of device: DeviceConfiguration, in configuration: Configuration, _ places: [String: ConfigurationLocation]
    ) -> [Setting] {
        var all: [Setting] = []
        func add(_ key: String, _ value: SettingValue?) {
            guard let value else { return }
            all.append(Setting(key: key, value: value, origin: origin(places[key])))
        }
        func addDuration(_ key: String, _ own: Duration?, otherwise common: Duration) {
            let origin = places[key]?.description ?? (own == nil ? "as for all" : "default")
            let value = SettingValue.text(DurationText.text(own ?? common))
            all.append(Setting(key: key, value: value, origin: origin, isRemark: own == nil))
        }
        add("alias", device.alias.map { .text($0) })
        add("enabled", device.isEnabled ? nil : .flag(false))
        add("tags", device.tags.isEmpty ? nil : .words(device.tags))
        add("adapter", device.adapter.map { .text($0.description) })
        addDuration("interval", device.interval, otherwise: configuration.poll.interval)
        addDuration("throttle", device.throttle, otherwise: configuration.poll.throttle)
        add("mode", .text(device.mode.rawValue))
        add("format", device.format.map { .text($0.rawValue) })
        add("medium", device.medium.map { .text($0.rawValue) })
        add("key", device.keyFile.map { .text($0) })
        add("power", device.powerIntervals.map { .mapping(text($0)) })
        if let bounds = device.adaptive {
            add("adaptive", .flag(true))
            add("min_interval", .text(DurationText.text(bounds.lowerBound)))
            add("max_interval", .text(DurationText.text(bounds.upperBound)))
        }
        return all
    }
}
