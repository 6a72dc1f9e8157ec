import BlekeepOutputs
import BlekeepRecords

/// The status as JSON.
extension StatusReport {
    package var json: String {
        let poller: JSON = .object([
            "running": .boolean(pid != nil), "pid": .integer(pid.map { Int($0) }),
            "started": Self.time(keeper.started), "seen": Self.time(seen),
            "ended": keeper.ended.flatMap(Self.time), "silent": .boolean(isSilent),
            "silence_allowed_s": .integer(keeper.life.map { Int($0.silence.components.seconds) }),
        ])
        let output: JSON = .object([
            "stalled": .boolean(keeper.missed?.isStalled ?? false),
            "missed_lines": .integer(keeper.missed?.count ?? 0),
        ])
        let adapters = keeper.adapters.map { adapter in
            JSON.object([
                "name": .text(adapter.name), "on": .boolean(adapter.isOn),
                "trouble": .text(adapter.trouble?.code),
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

    /// A device's object.
    package func json(_ device: StoredDeviceStatus) -> JSON {
        let thinned = device.thinned.thinned > 0 ? device.thinned : nil
        return .object([
            "device": .text(device.name), "address": .text(device.address.description),
            "state": .text(device.state.rawValue), "stale": .boolean(state(of: device) == .stale),
            "since": Self.time(device.since), "last_value": device.lastGood.flatMap(Self.time),
            "good_in_a_row": .integer(Int(device.goods)),
            "failed_in_a_row": .integer(Int(device.failures)), "code": .text(device.failure?.code.rawValue),
            "message": .text(device.failure?.message), "remedy": .text(device.remedy?.rawValue),
            "next": device.next.flatMap(Self.time),
            "interval_s": .integer(device.interval.map { Int($0.components.seconds) }),
            "interval_reason": .text(device.intervalReason), "link": .text(device.link.rawValue),
            "rssi": .integer(device.rssi), "thinned": thinned.map { .integer($0.thinned) },
            "thinned_of": thinned.map { .integer($0.total) }, "paused": .boolean(device.pause != nil),
            "paused_until": device.pause.flatMap { pause in
                if case .until(let end) = pause { Self.time(end) } else { nil }
            },
        ])
    }

    private static func time(_ milliseconds: Int64) -> JSON? { .text(UTCTime(milliseconds: milliseconds).iso) }
}
