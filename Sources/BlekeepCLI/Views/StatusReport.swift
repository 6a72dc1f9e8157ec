import Blekeep
import BlekeepOutputs

/// How everything is, at one moment: pure, from what was kept.
struct StatusReport {
    let keeper: StoredKeeperStatus
    let devices: [StoredDeviceStatus]
    var sinks: [SinkStanding] = []
    /// The process that polls; `nil` when none does.
    let pid: Int32?
    /// Milliseconds since 1970.
    let now: Int64
    /// The machine's clocks; `nil`: how long the poller is silent isn't judged.
    var clocks: ClockReading?
    /// Whether the process is stopped by a signal.
    var isStopped = false
    /// Whether the disk with the history has no room.
    var isDiskFull = false
    /// What blekeep has put aside beside the history.
    var copies: [HistoryCopy] = []

    /// Whether there is a process that should have written something since.
    private var isSilent: Bool {
        guard pid != nil else { return false }
        // It has started, and not written so far.
        if keeper.ended != nil { return true }
        guard let life = keeper.life, let clocks else { return false }
        return life.isOverdue(at: clocks)
    }

    /// When something was written last.
    private var seen: Int64 { devices.map(\.lastEnd).reduce(keeper.seen, max) }

    // MARK: For people

    func lines(width: Int?, on terminal: Terminal) -> [String] {
        let head = ([pollerLine, causeLine] + (outputLine.map { [$0] } ?? []) + sinkLines).map { line in
            let text = width.map { DisplayWidth.cut(line.text, to: $0) } ?? line.text
            return terminal.paint(text, line.paint)
        }
        let failures = devices.compactMap { device in
            device.failure.map { failure in
                let text = "\(Untrusted(device.name)): \(Untrusted(failure.message, limit: 300))"
                return width.map { DisplayWidth.cut(text, to: $0) } ?? text
            }
        }
        let thinned = devices.filter { $0.thinned.thinned > 0 }.map { device in
            let text = "\(Untrusted(device.name)): \(Self.words(device.thinned))"
            return width.map { DisplayWidth.cut(text, to: $0) } ?? text
        }
        let table = table().lines(width: width, on: terminal)
        let aside = CopyWords.lines(copies)
        return head + [""] + table + (failures.isEmpty ? [] : [""] + failures.map { terminal.paint($0, .bad) })
            + (thinned.isEmpty ? [] : [""] + thinned)
            + (aside.isEmpty ? [] : [""] + aside.map { terminal.paint($0, .warning) })
    }

    private var pollerLine: Table.Cell {
        if let pid, isSilent { return .init(silence(of: pid), .bad) }
        if let pid {
            return .init("poll runs as process \(pid), for \(span(keeper.started)); it wrote \(span(seen)) ago")
        }
        // One that could not even make the lock file isn't known of.
        let full = isDiskFull ? "; the disk is full, and a poll that was started since can't write" : ""
        if let ended = keeper.ended {
            return .init("not polling: 'blekeep poll' ended \(span(ended)) ago\(full)", .warning)
        }
        return .init(
            "not polling: 'blekeep poll' stopped unexpectedly (last write \(span(seen)) ago)\(full.isEmpty ? "; restart it" : full)",
            .bad)
    }

    private func silence(of pid: Int32) -> String {
        let reason =
            switch (isStopped, isDiskFull) {
            case (true, _): "it is stopped; resume it with 'kill -CONT \(pid)'"
            case (_, true): "the disk is full; make room"
            default: "it hangs, or can't write the history; see its log"
            }
        guard keeper.ended == nil else {
            return "poll runs as process \(pid), but hasn't written anything since it started: \(reason)"
        }
        let allowed = keeper.life.map { ", but should every \(DurationText.text($0.silence)) at least" } ?? ""
        return "poll isn't well: process \(pid) is alive and hasn't written for \(span(seen))\(allowed): \(reason)"
    }

    private var causeLine: Table.Cell {
        let adapters = keeper.adapters.map { adapter in
            "\(Untrusted(adapter.name)) \(adapter.trouble?.words(now: now) ?? (adapter.isOn ? "on" : "off"))"
        }
        let radio = adapters.isEmpty ? "no adapter" : adapters.joined(separator: ", ")
        switch keeper.outage?.code {
        case .known(.noBus)?:
            return .init("no message bus: \(Untrusted(keeper.outage?.message ?? "", limit: 300))", .bad)
        case _?: return .init("the bus is there; \(Untrusted(keeper.outage?.message ?? "", limit: 300))", .bad)
        case nil:
            let isOn = keeper.adapters.contains { $0.isOn && $0.trouble?.isGrave != true }
            return .init(
                "bus and bluetoothd are there; \(radio); power \(Untrusted(keeper.power, limit: 100))",
                isOn ? .plain : .bad)
        }
    }

    /// `nil` when the reader of the output has missed nothing.
    private var outputLine: Table.Cell? {
        guard pid != nil, let missed = keeper.missed else { return nil }
        let lines = "\(missed.count) \(missed.count == 1 ? "line" : "lines")"
        return missed.isStalled
            ? .init("no program reads the output of poll: \(lines) dropped so far; 'blekeep history' has them", .bad)
            : .init("the reader of poll's output missed \(lines); 'blekeep history' has them", .warning)
    }

    private static func words(_ values: ThinnedValues) -> String {
        "thinned \(grouped(values.thinned)) of \(grouped(values.total)) values that it sent by itself"
    }

    /// A count with commas: `1,234`.
    private static func grouped(_ count: Int) -> String {
        var digits = Array(String(max(0, count)))
        for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
        return String(digits)
    }

    /// Of sinks that take nothing, have lost something or are behind.
    private var sinkLines: [Table.Cell] {
        sinks.compactMap { sink in
            let name = Untrusted(sink.name)
            let waiting = sink.backlog > 0 ? "; \(sink.backlog) readings wait for it" : ""
            let lost = sink.dropped > 0 ? "; it lost \(sink.dropped)" : ""
            if let failure = sink.failure {
                let next = pid == nil ? nil : sink.nextTry.map { AttemptMessages.span(from: min(now, $0), to: $0) }
                let retry = next.map { "; next try in \($0)" } ?? ""
                return .init(
                    "can't write readings to the sink \(name): \(Untrusted(failure, limit: 300))\(retry)\(waiting)\(lost)",
                    .bad)
            }
            if sink.dropped > 0 { return .init("the sink \(name) lost \(sink.dropped) readings\(waiting)", .warning) }
            return sink.backlog > 1000 ? .init("the sink \(name) is behind\(waiting)") : nil
        }
    }

    private func table() -> Table {
        var table = Table(columns: [
            .init(title: "DEVICE", narrowest: 11), .init(title: "STATE"), .init(title: "FOR", isNumeric: true),
            .init(title: "LAST VALUE", isNumeric: true), .init(title: "IN A ROW", isNumeric: true, expendability: 3),
            .init(title: "LINK", expendability: 2), .init(title: "RSSI", isNumeric: true, expendability: 4),
            .init(title: "NEXT", isNumeric: true), .init(title: "INTERVAL", expendability: 1),
        ])
        table.rows = devices.map { device in
            let row = device.failures > 0 ? "\(device.failures) bad" : device.goods > 0 ? "\(device.goods) good" : ""
            let next = pid == nil ? nil : device.next.map { $0 > now ? AttemptMessages.span(from: now, to: $0) : "now" }
            let interval = device.interval.map(DurationText.text) ?? (device.intervalReason.isEmpty ? "" : "paused")
            let reason = device.intervalReason == "as configured" ? "" : Untrusted(device.intervalReason).description
            return [
                .init(Untrusted(device.name).description, .bold),
                .init(device.state.rawValue, Self.paint(device.state)),
                .init(device.state == .new ? "" : span(device.since)),
                .init(device.lastGood.map { "\(span($0)) ago" } ?? "never"), .init(row),
                .init(pid == nil ? "" : device.link.rawValue),
                .init(pid == nil ? "" : device.rssi.map { "\($0)" } ?? ""),
                .init(next ?? "–"), .init(reason.isEmpty ? interval : "\(interval): \(reason)"),
            ]
        }
        return table
    }

    private static func paint(_ state: StoredDeviceStatus.State) -> Paint {
        switch state {
        case .good: .good
        case .new: .plain
        case .trying: .warning
        case .lost, .needsYou: .bad
        }
    }

    private func span(_ time: Int64) -> String { AttemptMessages.span(from: min(time, now), to: now) }

    // MARK: For programs

    var json: String {
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
            "outage_message": .text(keeper.outage?.message), "sinks": .array(sinks.map(Self.json)),
            "adapters": .array(adapters), "power": .text(keeper.power), "devices": .array(devices.map(Self.json)),
            "put_aside": .array(copies.map { .object(["path": .text($0.path), "bytes": .integer(Int($0.size))]) }),
        ])
        return object.text
    }

    private static func json(_ sink: SinkStanding) -> JSON {
        .object([
            "name": .text(sink.name), "position": .integer(sink.position.flatMap { Int(exactly: $0) }),
            "backlog": .integer(Int(clamping: sink.backlog)), "dropped": .integer(Int(clamping: sink.dropped)),
            "error": .text(sink.failure), "next_try": sink.nextTry.flatMap(time),
        ])
    }

    private static func json(_ device: StoredDeviceStatus) -> JSON {
        let thinned = device.thinned.thinned > 0 ? device.thinned : nil
        return .object([
            "device": .text(device.name), "address": .text(device.address.description),
            "state": .text(device.state.rawValue), "since": time(device.since),
            "last_value": device.lastGood.flatMap(time), "good_in_a_row": .integer(Int(device.goods)),
            "failed_in_a_row": .integer(Int(device.failures)), "code": .text(device.failure?.code.rawValue),
            "message": .text(device.failure?.message), "remedy": .text(device.remedy?.rawValue),
            "next": device.next.flatMap(time),
            "interval_s": .integer(device.interval.map { Int($0.components.seconds) }),
            "interval_reason": .text(device.intervalReason), "link": .text(device.link.rawValue),
            "rssi": .integer(device.rssi), "thinned": thinned.map { .integer($0.thinned) },
            "thinned_of": thinned.map { .integer($0.total) },
        ])
    }

    private static func time(_ milliseconds: Int64) -> JSON? { .text(UTCTime(milliseconds: milliseconds).iso) }

    /// What is worth a new line while it is watched: not the passing of time.
    var news: [String] {
        let isStalled = keeper.missed?.isStalled ?? false
        let failed = sinks.filter { $0.failure != nil }.map(\.name)
        let poller = "\(pid ?? 0) \(isSilent) \(copies.count)"
        let head =
            "\(poller) \(keeper.outage?.code.rawValue ?? "") \(adapterNews) \(keeper.power) \(isStalled) \(failed)"
        return [head]
            + devices.map {
                "\($0.address) \($0.state.rawValue) \($0.failure?.code.rawValue ?? "") \($0.link.rawValue)"
            }
    }

    private var adapterNews: [String] {
        keeper.adapters.map { "\($0.name) \($0.isOn) \($0.trouble?.code ?? "")" }
    }

    // MARK: For scripts

    /// - Throws: a failure with an empty text, as everything has been said, when not everything is well.
    func check() throws(Failure) {
        if let code = verdict { throw Failure(code, "") }
    }

    /// `nil`: all is well.
    var verdict: Failure.Code? {
        guard pid != nil, !isSilent else { return .allFailed }
        if keeper.outage != nil { return .noBluez }
        if !keeper.adapters.contains(where: \.isOn) { return .noAdapter }
        let unwell = devices.filter { $0.state != .good }
        if unwell.isEmpty { return nil }
        guard unwell.count == devices.count else { return .someFailed }
        return unwell.allSatisfy { $0.state == .needsYou } ? .pairing : .allFailed
    }
}
