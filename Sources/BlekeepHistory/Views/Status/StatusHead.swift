import BlekeepOutputs
import BlekeepRecords

/// The lines above the devices in a status, about the poller, the adapters and the sinks. Pure.
package struct StatusHead {
    package struct Line: Sendable, Hashable {
        package let text: String
        package let tone: StatusTone
        /// The device that it is about; `nil` for none.
        package let device: DeviceID?

        init(_ text: String, _ tone: StatusTone = .plain, device: DeviceID? = nil) {
            self.text = text
            self.tone = tone
            self.device = device
        }
    }

    private let report: StatusReport
    private var poller: GatewayStatus { report.poller }

    package init(_ report: StatusReport) { self.report = report }

    package var lines: [Line] {
        pollerLines + ([causeLine, outputLine, slowLine, logLine].compactMap(\.self) + ruleLines + sinkLines).map(aged)
    }

    /// Whether blekeep is polling, and what prevents it.
    package var pollerLines: [Line] { [diskLine, pollerLine].compactMap(\.self) }

    /// Without a poller, a line is as old as its last write.
    private func aged(_ line: Line) -> Line {
        report.staleSince.map { .init("\(report.span($0)) ago: \(line.text)", .stale, device: line.device) } ?? line
    }

    /// A line about the full disk of a running poller, which may be the reason for a silence later; `nil` otherwise.
    private var diskLine: Line? {
        guard report.isDiskFull, report.isPolling else { return nil }
        return .init("the disk with the history is full; make room", .bad)
    }

    private var pollerLine: Line {
        if let pid = report.pid, report.isSilent { return .init(silence(of: pid), .bad) }
        if let pid = report.pid {
            return .init(
                "poll runs as process \(pid), for \(report.span(poller.started)); "
                    + "it wrote \(report.span(report.seen)) ago")
        }
        // A poller that couldn't create its lock file isn't visible here.
        let full = report.isDiskFull ? "; the disk is full, so a new poll can't write" : ""
        if let ended = poller.ended {
            return .init("not polling: 'blekeep poll' ended \(report.span(ended)) ago\(full)", .warning)
        }
        let advice = full.isEmpty ? "; start it with 'systemctl start blekeep' or 'blekeep poll'" : full
        return .init(
            "not polling: 'blekeep poll' stopped unexpectedly (last write \(report.span(report.seen)) ago)\(advice)",
            .bad)
    }

    private func silence(of pid: Int32) -> String {
        let reason =
            switch (report.isStopped, report.isDiskFull) {
            case (true, _): "it is stopped; resume it with 'kill -CONT \(pid)'"
            case (_, true): "the disk is full; make room"
            default: "it hangs, or can't write the history; see its log"
            }
        guard poller.ended == nil else {
            return "poll runs as process \(pid), but hasn't written anything since it started: \(reason)"
        }
        let allowed = poller.life.map { "; it should write at least every \(DurationText.text($0.silence))" } ?? ""
        let span = report.span(report.seen)
        return "poll isn't working: process \(pid) hasn't written for \(span)\(allowed): \(reason)"
    }

    private var causeLine: Line {
        let adapters = poller.adapters.map { adapter in
            "\(Untrusted(adapter.name)) \(Advice.message(adapter, now: report.now))"
        }
        let radio = adapters.isEmpty ? "no adapter" : adapters.joined(separator: ", ")
        let outage = poller.outage.map { Untrusted(Advice.message($0), limit: 300).description }
        switch (poller.outage?.code, outage) {
        case (.known(.noBus)?, let outage?): return .init(outage, .bad)
        case (_, let outage?): return .init("the bus runs; \(outage)", .bad)
        case (_, nil):
            let isOn = poller.adapters.contains { $0.isOn && $0.trouble?.isGrave != true }
            return .init(
                "bus and bluetoothd run; \(radio); power \(Untrusted(report.powerText, limit: 100))",
                isOn ? .plain : .bad)
        }
    }

    /// A line about dropped output; `nil` when there is none.
    private var outputLine: Line? {
        guard report.isPolling, let missed = poller.missed else { return nil }
        let lines = "\(missed.count) \(missed.count == 1 ? "line" : "lines")"
        return missed.isStalled
            ? .init("no program reads the output of poll: \(lines) dropped so far; 'blekeep history' has them", .bad)
            : .init("the reader of poll's output missed \(lines); 'blekeep history' has them", .warning)
    }

    /// A line about a disk that was slow within a day; `nil` otherwise.
    private var slowLine: Line? {
        guard report.isPolling, let slow = poller.slow, report.now - slow.last < 86_400_000 else { return nil }
        let longest = DurationText.text(slow.longest)
        let ago = "\(report.span(slow.last)) ago"
        return .init(
            slow.count == 1
                ? "the disk took \(longest) to write to the history, \(ago); readings wait in memory meanwhile"
                : "the disk was slow \(slow.count) times: up to \(longest) to write to the history, the last time \(ago); "
                    + "readings wait in memory meanwhile",
            .warning)
    }

    /// A line about a log that can't shrink; `nil` otherwise.
    private var logLine: Line? {
        guard report.isPolling, let size = report.heldLog else { return nil }
        return .init(
            "a program stays in a transaction on the history, so that its log has \(HistorySize.text(size)); end it",
            .warning)
    }

    /// Lines about the rules that fire, and the last ones that are over.
    private var ruleLines: [Line] {
        let firing = report.alarms
        let day = report.now - 86_400_000
        let over = report.rules.filter { !$0.isFiring && ($0.ended?.time ?? .min) >= day }
            .sorted { ($0.ended?.time ?? 0, $1.rule) > ($1.ended?.time ?? 0, $0.rule) }
        let more = firing.count - Self.maxFiring
        func name(_ rule: RuleStatus) -> Untrusted { Untrusted(report.name(of: rule.device)) }
        return firing.prefix(Self.maxFiring).map {
            .init("\(name($0.rule)): \($0.text)", .bad, device: $0.rule.device)
        }
            + (more > 0 ? [.init("\(more) more rules fire; 'blekeep status --json' has them", .warning)] : [])
            + over.prefix(Self.maxOver).map { rule in
                let ago = rule.ended.flatMap { $0.isSet ? " \(report.span($0.time)) ago" : nil } ?? ""
                return .init("\(name(rule)): the rule \(Untrusted(rule.rule)) was over\(ago)", device: rule.device)
            }
    }

    private static let maxFiring = 12
    private static let maxOver = 3

    /// Lines about sinks that fail, dropped readings, or lag behind.
    private var sinkLines: [Line] {
        report.sinks.compactMap { sink in
            let name = Untrusted(sink.name)
            let waiting = sink.backlog > 0 ? "; \(sink.backlog) readings wait for it" : ""
            let lost = sink.dropped > 0 ? "; it lost \(sink.dropped)" : ""
            if let failure = sink.failure {
                let retry = report.isPolling ? retryText(sink) : ""
                return .init(
                    "can't write readings to the sink \(name): \(Untrusted(failure, limit: 300))\(retry)\(waiting)\(lost)",
                    .bad)
            }
            if sink.dropped > 0 { return .init("the sink \(name) lost \(sink.dropped) readings\(waiting)", .warning) }
            return sink.backlog > 1000 ? .init("the sink \(name) is behind\(waiting)") : nil
        }
    }

    /// The ledger stores the first of consecutive attempts, so its time may have passed.
    private func retryText(_ sink: SinkStatus) -> String {
        guard let next = sink.nextTry else { return "" }
        return next > report.now ? "; next try in \(AttemptMessages.span(from: report.now, to: next))" : "; retrying"
    }
}

/// How a line of a status is shown.
package enum StatusTone: String, Sendable, CaseIterable {
    case plain, warning, bad
    /// It isn't known any more.
    case stale
}
