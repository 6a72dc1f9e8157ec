import Blekeep
import Yams

/// The settings of power saving and recovery.
extension ConfigurationParser {
    static let powerKeys = ["mode", "battery", "low", "critical", "wake"]

    /// Reads `power:` of the whole configuration.
    mutating func power(_ entry: YAMLEntry) -> PowerConfiguration? {
        guard let entries = reader.mapping(entry.node, what: "`power`", keys: Self.powerKeys) else { return nil }
        var power = PowerConfiguration()
        if let entry = entries["mode"], let choice = choice(entry) { power.choice = choice }
        power.wakes = reader.flag(entries["wake"]) ?? false
        power.intervals = power.intervals.overridden(by: rules(entries))
        return power
    }

    /// Reads `on_stop:`.
    mutating func stopPolicy(_ entry: YAMLEntry) -> StopPolicy? { word(entry, what: "stop policy") }

    /// Reads `recovery:`.
    mutating func recovery(_ entry: YAMLEntry) -> Set<RecoveryStep>? {
        let keys = RecoveryStep.allCases.map(\.rawValue)
        guard let entries = reader.mapping(entry.node, what: "`recovery`", keys: keys) else { return nil }
        return Set(RecoveryStep.allCases.filter { reader.flag(entries[$0.rawValue]) ?? false })
    }

    /// Reads `power:` of a device.
    mutating func powerIntervals(_ entry: YAMLEntry) -> PowerIntervals.Override? {
        let keys = ["battery", "low", "critical"]
        guard let entries = reader.mapping(entry.node, what: "a device's `power`", keys: keys) else { return nil }
        return rules(entries)
    }

    /// Reads `adaptive:` of a device, with its bounds.
    mutating func adaptive(_ entries: [String: YAMLEntry]) -> ClosedRange<Duration>? {
        let isOn = reader.flag(entries["adaptive"]) ?? false
        let least = reader.duration(entries["min_interval"]) ?? PollConfiguration.intervals.lowerBound
        let most = reader.duration(entries["max_interval"]) ?? PollConfiguration.intervals.upperBound
        if let entry = entries["max_interval"], most < least {
            reader.note(
                "`max_interval` is less than `min_interval`; write a longer one", at: entry.valuePlace(in: reader.file))
            return nil
        }
        for key in ["min_interval", "max_interval"] where !isOn {
            guard let entry = entries[key] else { continue }
            reader.note("`\(key)` has no effect without `adaptive: true`", at: entry.place)
        }
        return isOn ? least...max(least, most) : nil
    }

    private mutating func choice(_ entry: YAMLEntry) -> PowerChoice? { word(entry, what: "power mode") }

    private mutating func rules(_ entries: [String: YAMLEntry]) -> PowerIntervals.Override {
        PowerIntervals.Override(
            battery: entries["battery"].flatMap { rule($0) }, low: entries["low"].flatMap { rule($0) },
            critical: entries["critical"].flatMap { rule($0) })
    }

    private mutating func rule(_ entry: YAMLEntry) -> PowerIntervals.Rule? {
        guard let text = reader.text(entry, what: "an interval such as 5m, a factor such as x4, or pause")
        else { return nil }
        if text == "pause" { return .pause }
        if text.hasPrefix("x"), let factor = Int(text.dropFirst()), (1...1000).contains(factor) {
            return .times(factor)
        }
        if let interval = try? DurationText.parse(text), PollConfiguration.intervals.contains(interval) {
            return .every(interval)
        }
        reader.note(
            "`\(entry.key)` is \(Quoted.text(text)); write an interval such as 5m, a factor such as x4, or pause",
            at: entry.valuePlace(in: reader.file))
        return nil
    }
}
