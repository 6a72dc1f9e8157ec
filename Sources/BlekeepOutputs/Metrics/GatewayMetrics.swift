import BlekeepRecords
import RunLoop

/// What Prometheus gets: the newest values, and how blekeep and its devices do.
package struct GatewayMetrics: Sendable {
    private var values: MeasuredValues
    private let names: [DeviceID: String]
    private let tags: DeviceTags
    private let version: String
    private var statuses: [DeviceID: DeviceStatus] = [:]
    /// When the last value of each device came, in milliseconds since 1970. The device may have sent it between two ticks.
    private var lastValues: [DeviceID: Int64] = [:]
    private var activities: [DeviceID: DeviceActivity] = [:]
    private var errors: [DeviceID: [String: Int]] = [:]
    private var lateness: [DeviceID: Histogram] = [:]
    private var connects: [DeviceID: Histogram] = [:]
    private var rules: [RuleKey: RuleStatus] = [:]
    private var poller: GatewayStatus?
    private var sinks: [String: SinkStatus] = [:]
    /// The charge of the machine's battery in percent; `nil` without a battery.
    private var battery: Double?
    private var air = AirUse()
    /// Whether blekeep is polling, if another process asks. Otherwise, there are no metrics of what isn't known any more.
    package var isPolling: Bool?

    package init(_ configuration: PollConfiguration, version: String) {
        self.version = version
        values = MeasuredValues(ValueLifetimes(configuration), reserved: Set(MetricFamily.own.keys))
        tags = DeviceTags(configuration)
        names = Dictionary(configuration.devices.map { ($0.id, $0.name) }) { first, _ in first }
        activities = Dictionary(
            configuration.devices.map { ($0.id, DeviceActivity($0)) }
        ) { first, _ in first }
    }

    // MARK: In

    package mutating func record(_ reading: Reading, at now: Uptime) {
        values.record(reading, at: now)
        if case .value = reading.outcome, names[reading.id] != nil {
            lastValues[reading.id] = max(lastValues[reading.id] ?? .min, reading.time)
        }
        guard case .failure(let failure, _) = reading.outcome, names[reading.id] != nil else { return }
        // A peripheral may choose any other code.
        errors[reading.id, default: [:]][failure.code.known?.rawValue ?? "other", default: 0] += 1
    }

    /// Takes that a device was read or heard.
    package mutating func confirm(_ device: DeviceID, at now: Uptime) { values.confirm(device, at: now) }

    /// Takes what the history holds now.
    package mutating func apply(_ changes: LedgerChanges, heartbeat: Heartbeat?) {
        for status in changes.statuses where names[status.id] != nil {
            statuses[status.id] = status
            if let time = status.lastValue { lastValues[status.id] = max(lastValues[status.id] ?? .min, time) }
            values.apply(status.interval, of: status.id)
        }
        for rule in changes.rules where names[rule.device] != nil { rules[RuleKey(rule)] = rule }
        for key in changes.leftRules { rules[key] = nil }
        for sink in changes.sinks { sinks[sink.name] = sink }
        if let poller = changes.poller { self.poller = poller }
        guard let heartbeat else { return }
        battery = heartbeat.percentage
        air = air + heartbeat.air
        for activity in heartbeat.activities {
            guard let old = activities[activity.id] else { continue }
            activities[activity.id] = old + activity
        }
    }

    mutating func record(_ time: WorkTime, of device: DeviceID) {
        switch time {
        case .lateness(let duration):
            lateness[device, default: Histogram(bounds: Self.latenessBounds)].observe(duration)
        case .connect(let duration): connects[device, default: Histogram(bounds: Self.connectBounds)].observe(duration)
        }
    }

    private static let latenessBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
    /// BlueZ gives up after 20 s to 40 s.
    private static let connectBounds = [0.25, 0.5, 1, 2.5, 5, 10, 20, 40]

    /// When the next value is out of date; `nil` without values.
    var nextStale: Uptime? { values.nextStale }

    // MARK: Out

    /// Drops the values that are out of date, and returns all others.
    package mutating func page(at now: Uptime) -> MetricsPage {
        values.dropStale(at: now)
        return MetricsPage(values.families + deviceFamilies + machineFamilies)
    }

    private var deviceFamilies: [MetricFamily] {
        var all = MetricFamily.own
        for (device, name) in names {
            for tag in tags[device] { all["blekeep_device_tag"]?.set(1, labels: ["device": name, "tag": tag]) }
            if let status = statuses[device] { all.set(status, of: name, isKnown: isPolling != false) }
            all["blekeep_device_last_value_timestamp_seconds"]?.set(
                lastValues[device].map { Double($0) / 1000 }, labels: ["device": name])
            if let activity = activities[device] { all.set(activity, of: name) }
            if let late = lateness[device] { all["blekeep_tick_lateness_seconds"]?.set(late, labels: ["device": name]) }
            if let connects = connects[device] {
                all["blekeep_connect_duration_seconds"]?.set(connects, labels: ["device": name])
            }
            for (code, count) in errors[device, default: [:]] {
                all["blekeep_read_errors_total"]?.set(Double(count), labels: ["device": name, "error": code])
            }
        }
        for (key, rule) in rules {
            guard let name = names[key.device] else { continue }
            let labels: KeyValuePairs = ["rule": rule.rule, "device": name]
            // Without a poller, nobody knows.
            if isPolling != false { all["blekeep_rule_firing"]?.set(rule.isFiring, labels: labels) }
            all["blekeep_rule_firings_total"]?.set(Double(rule.firings), labels: labels)
        }
        return Array(all.values)
    }

    private var machineFamilies: [MetricFamily] {
        var all = MetricFamily.own
        let name: KeyValuePairs<String, String> =
            tags.gateway.map { ["version": version, "gateway": $0] } ?? ["version": version]
        all["blekeep_build_info"]?.set(1, labels: name)
        all["blekeep_polling"]?.set(isPolling.map { $0 ? 1 : 0 })
        for (name, sink) in sinks {
            all["blekeep_sink_backlog_readings"]?.set(Double(sink.backlog), labels: ["sink": name])
            // Without a poller, nobody tries.
            if isPolling != false { all["blekeep_sink_failing"]?.set(sink.failure != nil, labels: ["sink": name]) }
        }
        if let poller { all["blekeep_start_timestamp_seconds"]?.set(Double(poller.started) / 1000) }
        all["blekeep_scan_seconds_total"]?.set(air.scanned / .seconds(1))
        all["blekeep_packets_total"]?.set(Double(air.packets))
        if let poller { all["blekeep_history_slow_writes_total"]?.set(Double(poller.slow?.count ?? 0)) }
        if let poller, isPolling != false {
            all["blekeep_machine_battery_ratio"]?.set(battery.map { $0 / 100 })
            all["blekeep_outage"]?.set(poller.outage != nil, labels: [:])
            for adapter in poller.adapters {
                all["blekeep_adapter_powered"]?.set(adapter.isOn, labels: ["adapter": adapter.name])
                for code in GatewayStatus.Adapter.Trouble.Code.allCases {
                    all["blekeep_adapter_trouble"]?.set(
                        code == adapter.trouble?.code, labels: ["adapter": adapter.name, "trouble": code.rawValue])
                }
            }
            if let mode = poller.power?.mode {
                for each in PowerMode.allCases {
                    all["blekeep_power_mode"]?.set(each == mode, labels: ["mode": each.rawValue])
                }
            }
        }
        return Array(all.values)
    }
}

extension [String: MetricFamily] {
    fileprivate mutating func set(_ status: DeviceStatus, of device: String, isKnown: Bool) {
        if isKnown {
            let isConnected = status.link.isConnected
            self["blekeep_device_connected"]?.set(isConnected, labels: ["device": device])
            for state in DeviceCondition.State.allCases {
                self["blekeep_device_state"]?.set(
                    state == status.state, labels: ["device": device, "state": state.rawValue])
            }
            self["blekeep_device_rssi_dbm"]?.set(status.rssi.map(Double.init), labels: ["device": device])
        }
        self["blekeep_device_interval_seconds"]?.set(
            status.interval.map { Double($0.components.seconds) + Double($0.components.attoseconds) / 1e18 },
            labels: ["device": device])
    }

    fileprivate mutating func set(_ activity: DeviceActivity, of device: String) {
        for (result, count) in [("good", activity.good), ("failed", activity.failed), ("missed", activity.missed)] {
            self["blekeep_ticks_total"]?.set(Double(count), labels: ["device": device, "result": result])
        }
        self["blekeep_values_total"]?.set(Double(activity.values), labels: ["device": device])
        self["blekeep_connects_total"]?.set(Double(activity.connects), labels: ["device": device])
    }
}

/// Metrics in Prometheus's text format 0.0.4, sorted by name and labels.
package struct MetricsPage: Sendable {
    private let families: [MetricFamily]

    /// - Parameter families: with different names; those without samples are left out.
    init(_ families: [MetricFamily]) {
        self.families = families.filter { !$0.isEmpty }.sorted { $0.name < $1.name }
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for family in families {
            bytes.append(text: "# HELP \(family.name) \(MetricFamily.escaped(family.help, quotes: false))\n")
            bytes.append(text: "# TYPE \(family.name) \(family.kind.rawValue)\n")
            for sample in family.lines {
                bytes.append(text: "\(family.name)\(sample.rest) \(Self.text(sample.value))\n")
            }
        }
        return bytes
    }

    /// Whole numbers have no fraction.
    private static func text(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
