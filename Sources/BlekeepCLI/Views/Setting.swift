import Blekeep
import BlekeepConfiguration
import BlekeepOutputs

/// A setting and its origin.
struct Setting {
    var key: String
    /// The value as the configuration writes it.
    var text: String
    /// The file with line and column, the option, the variable, or `default`.
    var origin: String

    static func origin(_ place: ConfigurationLocation?) -> String { place?.description ?? "default" }

    // MARK: History

    /// - Parameter path: the default path.
    static func all(
        of history: HistoryConfiguration, path: String?, _ places: [String: ConfigurationLocation]
    ) -> [Setting] {
        [
            ("path", history.path ?? path ?? "nowhere"), ("size", SizeText.text(history.size)),
            ("rollups", SizeText.text(history.rollups)), ("reserve", SizeText.text(history.reserve)),
        ].map { Setting(key: $0.0, text: $0.1, origin: origin(places[$0.0])) }
    }

    // MARK: Power

    static func all(
        of power: PowerConfiguration, _ places: [String: ConfigurationLocation]
    ) -> [Setting] {
        let intervals = power.intervals
        return [
            ("mode", power.choice.rawValue), ("battery", text(intervals.battery)), ("low", text(intervals.low)),
            ("critical", text(intervals.critical)), ("wake", "\(power.wakes)"),
        ].map { Setting(key: $0.0, text: $0.1, origin: origin(places[$0.0])) }
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
            Setting(key: $0.rawValue, text: "\(allowed.contains($0))", origin: origin(places[$0.rawValue]))
        }
    }

    // MARK: Devices

    /// Returns the settings of a device, without its address and characteristics.
    static func all(
        of device: DeviceConfiguration, in configuration: Configuration, _ places: [String: ConfigurationLocation]
    ) -> [Setting] {
        var all: [Setting] = []
        func add(_ key: String, _ text: String?, otherwise: String = "default") {
            guard let text else { return }
            all.append(Setting(key: key, text: text, origin: places[key]?.description ?? otherwise))
        }
        add("alias", device.alias.map(YAMLString.quoted))
        add("adapter", device.adapter?.description)
        add("interval", DurationText.text(device.interval ?? configuration.interval), otherwise: "as for all")
        add("throttle", DurationText.text(device.throttle ?? configuration.throttle), otherwise: "as for all")
        add("mode", device.mode.rawValue)
        add("key", device.keyName.map(YAMLString.quoted))
        add("power", device.powerIntervals.map(text))
        if let bounds = device.adaptive {
            add("adaptive", "true")
            add("min_interval", DurationText.text(bounds.lowerBound))
            add("max_interval", DurationText.text(bounds.upperBound))
        }
        return all
    }
}

/// Text as a YAML scalar.
enum YAMLString {
    /// Returns the text in double quotes, which YAML reads back as it was; characters that can't be seen are `\U0000115F`.
    static func quoted(_ text: String) -> String {
        var quoted = "\"".unicodeScalars
        for scalar in text.unicodeScalars {
            if scalar.isInvisible {
                quoted.append(contentsOf: "\\U\(String(hex: scalar.value, width: 8).uppercased())".unicodeScalars)
            } else {
                if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
                quoted.append(scalar)
            }
        }
        return String(quoted) + "\""
    }
}
