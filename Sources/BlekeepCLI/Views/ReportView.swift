import Blekeep
import BlekeepHistory
import BlekeepOutputs
import RunLoop

/// A report as text and as JSON.
struct ReportView {
    let report: Report
    private let offset: @Sendable (Int64) -> Int

    /// - Parameter offset: returns the seconds that the local clock is ahead of UTC at a time.
    init(_ report: Report, offset: @escaping @Sendable (Int64) -> Int) {
        self.report = report
        self.offset = offset
    }

    private static let shownGaps = 10

    /// `2026-11-20 20:00 to 2026-11-21 08:00`
    var span: String { "\(time(report.from)) to \(time(report.to))" }

    private func time(_ moment: Int64) -> String {
        let local = UTCTime(milliseconds: moment &+ Int64(offset(moment)) &* 1000).iso
        return local.split(separator: "T").prefix(2).enumerated()
            .map { $0.offset == 0 ? String($0.element) : String($0.element.prefix(5)) }.joined(separator: " ")
    }

    // MARK: Text

    func lines(on terminal: Terminal) -> [String] {
        let ticks = report.devices.reduce((good: 0, failed: 0, missed: 0)) {
            ($0.good + $1.good, $0.failed + $1.failed, $0.missed + $1.missed)
        }
        let rows = [
            ("time", "\(span): \(DurationText.rounded(report.length))\(soFar)"), ("ran", ran), ("gaps", gaps),
            ("ticks", "\(ticks.good) made, \(ticks.failed) failed, \(ticks.missed) missed"),
            ("values", "\(report.devices.reduce(0) { $0 + $1.values })"), ("battery", batteryText),
        ]
        let facts = rows.map { $0.0 + String(repeating: " ", count: 9 - $0.0.count) + $0.1 }
        let table = devices.lines(width: terminal.isInteractive ? terminal.size().columns : nil, on: terminal)
        let list = gapTable.map { [""] + $0.lines(width: nil, on: terminal) } ?? []
        return facts + (report.devices.isEmpty ? [] : [""] + table) + list
    }

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

    private var gaps: String {
        guard !report.gaps.isEmpty else { return "none" }
        let causes = Downtime.Cause.allCases.compactMap { cause in
            let number = report.gaps.count { $0.cause == cause }
            return number == 0 ? nil : "\(number) × \(cause.rawValue)"
        }
        return "\(DurationText.rounded(report.down)): \(causes.joined(separator: ", "))"
    }

    private var batteryText: String {
        guard let battery = report.battery else { return "none" }
        let range = "\(Self.text(battery.from)) % → \(Self.text(battery.to)) %"
        guard let drain = report.drain else { return "\(range), not drained" }
        return "\(range), \(Self.text(drain.perHour)) % an hour in \(DurationText.rounded(drain.length)) on battery"
    }

    private var devices: Table {
        var table = Table(columns: [
            .init(title: "DEVICE", narrowest: 11), .init(title: "VALUES", isNumeric: true),
            .init(title: "TICKS", isNumeric: true), .init(title: "FAILED", isNumeric: true),
            .init(title: "MISSED", isNumeric: true), .init(title: "CONNECTS/DAY", isNumeric: true, expendability: 1),
            .init(title: "EACH", isNumeric: true, expendability: 2),
            .init(title: "ON AIR/DAY", isNumeric: true, expendability: 1),
            .init(title: "CR2032/YEAR", isNumeric: true),
        ])
        table.rows = report.devices.map { device in
            let cost = SensorCost(device, in: report.length)
            return [
                .init(Untrusted(device.device).description, .bold), .init("\(device.values)"), .init("\(device.good)"),
                .init("\(device.failed)", device.failed > 0 ? .warning : .plain),
                .init("\(device.missed)", device.missed > 0 ? .warning : .plain),
                .init(cost.map { Self.text($0.connectsPerDay) } ?? "–"),
                .init(cost.map { Self.seconds($0.secondsPerConnect) } ?? "–"),
                .init(cost.map { DurationText.rounded(.milliseconds(Int($0.secondsPerDay * 1000))) } ?? "–"),
                .init(cost.map { Self.text($0.coinCellPerYear) + " %" } ?? "–"),
            ]
        }
        return table
    }

    private var gapTable: Table? {
        guard !report.gaps.isEmpty else { return nil }
        var table = Table(columns: [
            .init(title: "GAP"), .init(title: "LENGTH", isNumeric: true), .init(title: "CAUSE"),
        ])
        table.rows = report.gaps.suffix(Self.shownGaps).map { gap in
            [.init(time(gap.from)), .init(gap.length.map(DurationText.rounded) ?? "?"), .init(gap.cause.rawValue)]
        }
        return table
    }

    private static func seconds(_ seconds: Double) -> String {
        seconds < 60 ? text(seconds) + " s" : DurationText.rounded(.milliseconds(Int(min(1e12, seconds * 1000))))
    }

    /// Returns the number with at most one digit after the point.
    static func text(_ number: Double) -> String {
        let tenths = Int((max(-1e9, min(1e9, number)) * 10).rounded())
        let isWhole = tenths % 10 == 0 || tenths.magnitude >= 1000
        return (tenths < 0 ? "-" : "") + "\(tenths.magnitude / 10)" + (isWhole ? "" : ".\(tenths.magnitude % 10)")
    }
}
