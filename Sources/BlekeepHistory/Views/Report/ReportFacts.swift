import BlekeepRecords

/// What a report says in words. Pure.
package struct ReportFacts: Sendable {
    /// A name such as `gaps`, and a text.
    package typealias Fact = (name: String, text: String)

    private let report: Report
    private let offset: @Sendable (Int64) -> Int

    /// - Parameter offset: returns the seconds that the local clock is ahead of UTC at a time.
    package init(_ report: Report, offset: @escaping @Sendable (Int64) -> Int) {
        self.report = report
        self.offset = offset
    }

    package var all: [Fact] {
        let ticks = report.devices.reduce((good: 0, failed: 0, missed: 0)) {
            ($0.good + $1.good, $0.failed + $1.failed, $0.missed + $1.missed)
        }
        return [
            ("time", "\(span): \(DurationText.rounded(report.length))\(soFar)"), ("ran", ran), ("gaps", gaps),
            ("ticks", "\(ticks.good) made, \(ticks.failed) failed, \(ticks.missed) missed"),
            ("values", "\(report.devices.reduce(0) { $0 + $1.values })"), ("scanned", scanned),
            ("heard", heard), ("battery", battery),
        ] + (report.logged > 0 ? [("filled", "\(report.logged) values, from the devices' own memories")] : [])
    }

    /// `2026-11-20 20:00 to 2026-11-21 08:00`
    package var span: String { "\(time(report.from)) to \(time(report.to))" }

    /// Returns the local time to the minute.
    package func time(_ moment: Int64) -> String { UTCTime(milliseconds: moment, offset: offset).dateAndMinute }

    private var soFar: String {
        report.isRunning ? "; blekeep runs, and adds newer readings with its next heartbeat" : ""
    }

    private var ran: String {
        let share = report.length > .zero ? report.up / report.length * 100 : 0
        let modes = PowerMode.allCases.filter { $0 != .normal && report.time(in: $0) > .zero }.map {
            "\($0.rawValue) mode \(DurationText.rounded(report.time(in: $0)))"
        }
        return (["\(DurationText.rounded(report.up)) (\(Self.text(share)) %)"] + modes).joined(separator: ", ")
    }

    /// Each sensor in range, also those of others, answers an active scan.
    private var scanned: String {
        let share = report.length > .zero ? report.air.scanned / report.length * 100 : 0
        return "\(DurationText.rounded(report.air.scanned)) actively (\(Self.text(share)) %)"
    }

    private var heard: String {
        let minutes = report.up / .seconds(60)
        let perMinute = minutes > 0 ? Double(report.air.packets) / minutes : 0
        return "\(report.air.packets) packets (\(Self.text(perMinute)) a minute)"
    }

    private var gaps: String {
        guard !report.gaps.isEmpty else { return "none" }
        let causes = Downtime.Cause.allCases.compactMap { cause in
            let number = report.gaps.count { $0.cause == cause }
            return number == 0 ? nil : "\(number) × \(cause.words)"
        }
        return "\(DurationText.rounded(report.down)): \(causes.joined(separator: ", "))"
    }

    private var battery: String {
        guard let battery = report.battery else { return "none" }
        // What it came down to, where it was charged again.
        let least = report.spans.compactMap(\.percentages?.lowerBound).min() ?? battery.to
        let way = [battery.from] + (least < min(battery.from, battery.to) - 0.5 ? [least] : []) + [battery.to]
        let range = way.map { "\(Self.text($0)) %" }.joined(separator: " → ")
        guard let drain = report.drain else { return "\(range), not drained" }
        return "\(range), \(Self.text(drain.perHour)) % an hour in \(DurationText.rounded(drain.length)) on battery"
    }

    /// Returns the number with at most one digit after the point.
    package static func text(_ number: Double) -> String {
        let tenths = Int((max(-1e9, min(1e9, number)) * 10).rounded())
        let isWhole = tenths % 10 == 0 || tenths.magnitude >= 1000
        return (tenths < 0 ? "-" : "") + "\(tenths.magnitude / 10)" + (isWhole ? "" : ".\(tenths.magnitude % 10)")
    }
}

extension SensorCost {
    /// The numbers in words: `2880`, `2 s`, `1h36m`, `0.9 to 14 % of CR2032`.
    package var texts: (connectsPerDay: String, each: String, perDay: String, perYear: String) {
        // A damaged history may have any numbers.
        func text(_ seconds: Double) -> String {
            DurationText.rounded(.milliseconds(Int(max(0, min(1e12, seconds * 1000)))))
        }
        return (
            ReportFacts.text(connectsPerDay),
            secondsPerConnect < 60 ? ReportFacts.text(secondsPerConnect) + " s" : text(secondsPerConnect),
            text(secondsPerDay), battery.text(chargePerYear)
        )
    }
}
