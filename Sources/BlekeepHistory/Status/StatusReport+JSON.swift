import BlekeepOutputs
import BlekeepRecords

/// The status as JSON.
extension StatusReport {
    package var json: String {
        let poller: JSON = .object([
            "running": .boolean(pid != nil), "pid": .integer(pid.map { Int($0) }),
            "started": Self.time(keeper.started), "seen": Self.time(seen),
            "ended": keeper.ended.map(Self.time), "silent": .boolean(isSilent),
            "silence_allowed_s": .integer(keeper.life.map { Int($0.silence.components.seconds) }),
        ])
        let output: JSON = .object([
            "stalled": .boolean(keeper.missed?.isStalled ?? false),
            "missed_lines": .integer(keeper.missed?.count ?? 0),
        ])
        let adapters = keeper.adapters.map { adapter in
            JSON.object([
                "name": .text(adapter.name), "on": .boolean(adapter.isOn),
                "trouble": .text(adapter.trouble?.code.rawValue),
            ])
        }
        let object: JSON = .object([
            "poller": poller, "output": output, "outage": .text(keeper.outage?.code.rawValue),
            "outage_message": .text(keeper.outage?.message), "sinks": .array(sinks.map(json)),
            "adapters": .array(adapters), "power": .text(keeper.power), "devices": .array(devices.map(json)),
            "disabled": disabled.isEmpty ? nil : .array(disabled.map { .text($0) }),
            "slow_writes": keeper.slow.map(Self.json),
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

    private func json(_ device: DeviceStatus) -> JSON {
        Self.deviceTable.json(ReportedDevice(report: self, status: device))
    }

    private static func time(_ milliseconds: Int64) -> JSON { .text(UTCTime(milliseconds: milliseconds).iso) }

    /// A device, and the report that it is in.
    package struct ReportedDevice {
        fileprivate let report: StatusReport
        fileprivate let status: DeviceStatus

        package init(report: StatusReport, status: DeviceStatus) {
            self.report = report
            self.status = status
        }

        fileprivate var dropped: ThinnedValues? { status.thinned.thinned > 0 ? status.thinned : nil }
    }

    /// The fields of a device.
    package static let deviceTable = JSONTable<ReportedDevice>([
        .always("device", .schema("string", "The alias, or the address.")) { .text($0.status.name) },
        .always("address", .schema("string")) { .text($0.status.address.description) },
        .always("state", .schema(oneOf: DeviceCondition.State.allCases.map(\.rawValue))) {
            .text($0.status.state.rawValue)
        },
        .always("stale", .schema("boolean", "blekeep isn't polling, so that the state is an earlier one.")) {
            .boolean($0.report.state(of: $0.status) == .stale)
        },
        .always("since", .schema("string", "The start of the state, in UTC.")) { time($0.status.since) },
        .maybe("last_value", .schema("string", "When the last value arrived, in UTC.")) {
            $0.status.lastValue.map(time)
        },
        .always("good_in_a_row", .schema("integer", "Consecutive good ticks.")) {
            .integer(Int($0.status.condition.goodInARow))
        },
        .always("failed_in_a_row", .schema("integer", "Consecutive failed attempts.")) {
            .integer(Int($0.status.condition.failedInARow))
        },
        .maybe("code", .schema("string", "Why the last attempt failed.")) { .text($0.status.failure?.code.rawValue) },
        .maybe("message", .schema("string", "A sentence for the code.")) { .text($0.status.failure?.message) },
        .maybe("remedy", .schema("string")) { .text($0.status.condition.trouble?.remedy?.rawValue) },
        .maybe("next", .schema("string", "The time of the next tick or attempt, in UTC.")) { $0.status.next.map(time) },
        .maybe("interval_s", .schema("integer", "The time between ticks in seconds.")) {
            .integer($0.status.interval.map { Int($0.components.seconds) })
        },
        .maybe("interval_reason", .schema("string")) { .text($0.status.intervalReason) },
        .always("link", .schema(oneOf: DeviceStatus.Link.allCases.map(\.rawValue), "The connection.")) {
            .text($0.status.link.rawValue)
        },
        .maybe("rssi", .schema("integer", "The signal strength in dBm.")) { .integer($0.status.rssi) },
        .maybe("thinned", .schema("integer", "Values that the throttle dropped.")) { .integer($0.dropped?.thinned) },
        .maybe("thinned_of", .schema("integer", "Values that the device sent by itself.")) {
            .integer($0.dropped?.total)
        },
        .always("paused", .schema("boolean")) { .boolean($0.status.pause != nil) },
        .maybe("paused_until", .schema("string", "In UTC.")) {
            if case .until(let end)? = $0.status.pause { time(end) } else { nil }
        },
    ])
}
