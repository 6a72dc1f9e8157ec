import BlekeepOutputs
import BlekeepRecords

extension StatusReport {
    package var json: String {
        let run: JSON = .object([
            "running": .boolean(pid != nil), "pid": .integer(pid.map { Int($0) }),
            "started": Self.time(poller.started), "seen": Self.time(seen),
            "ended": poller.ended.map(Self.time), "silent": .boolean(isSilent),
            "silence_allowed_s": .integer(poller.life.map { Int($0.silence.components.seconds) }),
        ])
        let output: JSON = .object([
            "stalled": .boolean(poller.missed?.isStalled ?? false),
            "missed_lines": .integer(poller.missed?.count ?? 0),
        ])
        let adapters = poller.adapters.map { adapter in
            JSON.object([
                "name": .text(adapter.name), "on": .boolean(adapter.isOn),
                "trouble": .text(adapter.trouble?.code.rawValue), "listening": .text(adapter.listening?.rawValue),
            ])
        }
        let others = elsewhere.sorted { $0.key < $1.key }.map {
            (key: $0.key, value: JSON?.some(.array($0.value.map { .text($0) })))
        }
        let newest = Dictionary(alarms.map { (RuleKey($0.rule), $0.newest?.measurement) }) { first, _ in first }
        let rules: JSON? = rules.isEmpty ? nil : .array(rules.map { json($0, newest[RuleKey($0)] ?? nil) })
        let object: JSON = .object([
            "gateway": .text(gateway), "poller": run, "output": output,
            "outage": .text(poller.outage?.code.rawValue),
            "outage_message": .text(poller.outage?.message), "sinks": .array(sinks.map(json)),
            "adapters": .array(adapters), "power_mode": .text(poller.power?.mode.rawValue),
            "power_reason": .text(poller.power?.reason), "devices": .array(devices.map(json)),
            "rules": rules,
            "disabled": disabled.isEmpty ? nil : .array(disabled.map { .text($0) }),
            "elsewhere": elsewhere.isEmpty ? nil : .object(others),
            "slow_writes": poller.slow.map(Self.json),
            "put_aside": .array(copies.map { .object(["path": .text($0.path), "bytes": .integer(Int($0.size))]) }),
        ])
        return object.text
    }

    private static func json(_ slow: SlowWrites) -> JSON {
        .object([
            "count": .integer(slow.count), "longest_s": .number(slow.longest / .seconds(1)), "last": time(slow.last),
        ])
    }

    /// A next attempt in the past is left out: the ledger stores only the first of consecutive attempts.
    private func json(_ sink: SinkStatus) -> JSON {
        .object([
            "name": .text(sink.name), "position": .integer(sink.position.flatMap { Int(exactly: $0) }),
            "backlog": .integer(Int(clamping: sink.backlog)), "dropped": .integer(Int(clamping: sink.dropped)),
            "error": .text(sink.failure), "next_try": sink.nextTry.flatMap { $0 > now ? Self.time($0) : nil },
        ])
    }

    /// - Parameter newest: what the device of a rule that fires measures now.
    private func json(_ rule: RuleStatus, _ newest: Measurement?) -> JSON {
        func time(_ moment: RuleMoment?) -> JSON? { moment.flatMap { $0.isSet ? Self.time($0.time) : nil } }
        return .object([
            "rule": .text(rule.rule), "device": .text(name(of: rule.device)), "condition": .text(rule.condition),
            "firing": .boolean(rule.isFiring), "phase": .text(rule.phase.rawValue), "since": time(rule.since),
            "firings": .integer(Int(rule.firings)), "fired": time(rule.fired), "ended": time(rule.ended),
            "message": .text(rule.message), "value": newest.map { .measured($0.value) }, "unit": .text(newest?.unit),
        ])
    }

    private func json(_ device: DeviceStatus) -> JSON {
        Self.deviceTable.json(ReportedDevice(report: self, status: device))
    }

    fileprivate static func time(_ milliseconds: Int64) -> JSON { .text(UTCTime(milliseconds: milliseconds).iso) }

    package struct ReportedDevice {
        fileprivate let report: StatusReport
        fileprivate let status: DeviceStatus

        package init(report: StatusReport, status: DeviceStatus) { (self.report, self.status) = (report, status) }

        fileprivate var filling: LastFilling? { report.fillings[status.id] ?? nil }
    }

    /// The fields of a device.
    package static let deviceTable = JSONTable<ReportedDevice>(
        [
            .always("device", schema: .schema("string", meaning: "The alias, or the address.")) {
                .text($0.status.name)
            },
            .always("address", schema: .schema("string")) { .text($0.status.address.description) },
            .always(
                "stale",
                schema: .schema("boolean", meaning: "blekeep isn't polling, so that the state is an earlier one.")
            ) {
                .boolean($0.report.state(of: $0.status) == .stale)
            },
            .maybe("advice", schema: .schema("string", meaning: "The command that helps after the failure.")) {
                Advice.command($0.status.failure?.code.known, of: $0.status.address.description).map { .text($0) }
            },
            .maybe("filled", schema: .schema("string", meaning: "When its own memory was asked last, in UTC.")) {
                $0.filling.map { time($0.time) }
            },
            .maybe("filled_since", schema: .schema("string", meaning: "The oldest time that was asked for, in UTC.")) {
                $0.filling.map { time($0.since) }
            },
            .maybe("filled_values", schema: .schema("integer", meaning: "The values that were missing.")) {
                $0.filling.map { .integer($0.stored) }
            },
        ] + DeviceStatus.fields.filter(\.isShown).map(JSONField.init))
}

extension JSONField<StatusReport.ReportedDevice> {
    /// Times are in UTC, and durations in seconds.
    fileprivate init(_ field: StatusField) {
        func described(_ unit: String = "") -> String? {
            field.help.isEmpty ? nil : "\(field.help.prefix(1).uppercased())\(field.help.dropFirst())\(unit)."
        }
        let isDuration = field.kind == .duration
        let schema: JSON =
            switch field.kind {
            case .text: .schema("string", meaning: described())
            case .choice(let choices): .schema(oneOf: choices, described())
            case .count: .schema("integer", meaning: described())
            case .flag: .schema("boolean", meaning: described())
            case .signal: .schema("integer", meaning: described(" in dBm"))
            case .time: .schema("string", meaning: described(", in UTC"))
            case .duration: .schema("number", meaning: described(" in seconds"))
            }
        let value: @Sendable (StatusReport.ReportedDevice) -> JSON? = { device in
            switch field.value(device.status) {
            case .text(let text)?: .text(text)
            case .flag(let flag)?: .boolean(flag)
            case .number(let number)? where field.kind == .time: StatusReport.time(number)
            case .number(let number)? where isDuration: .number(Double(number) / 1000)
            case .number(let number)?: .integer(Int(number))
            case nil: nil
            }
        }
        let name = isDuration ? "\(field.name)_s" : field.name
        self =
            field.isRequired
            ? .always(name, schema: schema) { value($0) ?? .null } : .maybe(name, schema: schema, value: value)
    }
}
