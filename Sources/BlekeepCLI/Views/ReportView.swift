import Blekeep
import BlekeepHistory
import BlekeepOutputs

/// A report as text and as JSON.
struct ReportView {
    let report: Report
    private let batteries: [DeviceID: Battery]
    private let offset: @Sendable (Int64) -> Int

    /// - Parameters:
    ///   - batteries: what devices run on, as far as the user says it.
    ///   - offset: returns the seconds that the local clock is ahead of UTC at a time.
    init(_ report: Report, batteries: [DeviceID: Battery] = [:], offset: @escaping @Sendable (Int64) -> Int) {
        self.report = report
        self.batteries = batteries
        self.offset = offset
    }

    private static let shownGaps = 10

    func cost(_ device: DeviceActivity) -> SensorCost? { SensorCost(device, of: batteries[device.id], in: report) }

    private var facts: ReportFacts { ReportFacts(report, offset: offset) }

    // MARK: Text

    func lines(on terminal: Terminal) -> [String] {
        let lines = facts.all.map { $0.name + String(repeating: " ", count: 9 - $0.name.count) + $0.text }
        let table = devices.lines(width: terminal.isInteractive ? terminal.size().columns : nil, on: terminal)
        let more = [savings, gapTable].compactMap(\.self).flatMap { [""] + $0.lines(width: nil, on: terminal) }
        return lines + (report.devices.isEmpty ? [] : [""] + table) + more
    }

    private var devices: Table {
        var table = Table(columns: [
            .init(title: "DEVICE", narrowest: 11), .init(title: "VALUES", isNumeric: true),
            .init(title: "TICKS", isNumeric: true), .init(title: "FAILED", isNumeric: true),
            .init(title: "MISSED", isNumeric: true), .init(title: "CONNECTS/DAY", isNumeric: true, expendability: 1),
            .init(title: "EACH", isNumeric: true, expendability: 2),
            .init(title: "ON AIR/DAY", isNumeric: true, expendability: 1),
            .init(title: "BATTERY/YEAR", isNumeric: true),
        ])
        table.rows = report.devices.map { device in
            let cost = cost(device)?.texts
            return [
                .init(Untrusted(device.device).description, .bold), .init("\(device.values)"), .init("\(device.good)"),
                .init("\(device.failed)", device.failed > 0 ? .warning : .plain),
                .init("\(device.missed)", device.missed > 0 ? .warning : .plain),
                .init(cost?.connectsPerDay ?? "–"), .init(cost?.each ?? "–"), .init(cost?.perDay ?? "–"),
                .init(cost?.perYear ?? "–"),
            ]
        }
        return table
    }

    private var savings: Table? {
        var table = Table(columns: [
            .init(title: "DEVICE"), .init(title: "WITH"), .init(title: "BATTERY/YEAR", isNumeric: true),
        ])
        table.rows = report.devices.flatMap { device in
            guard let cost = cost(device) else { return [[Table.Cell]]() }
            return cost.savings.map { saving in
                [
                    .init(Untrusted(device.device).description, .bold), .init(saving.setting),
                    .init(cost.battery.text(saving.chargePerYear)),
                ]
            }
        }
        return table.rows.isEmpty ? nil : table
    }

    private var gapTable: Table? {
        guard !report.gaps.isEmpty else { return nil }
        var table = Table(columns: [
            .init(title: "GAP"), .init(title: "LENGTH", isNumeric: true), .init(title: "CAUSE"),
        ])
        table.rows = report.gaps.suffix(Self.shownGaps).map { gap in
            [
                .init(facts.time(gap.from)), .init(gap.length.map(DurationText.rounded) ?? "?"),
                .init(gap.cause.words),
            ]
        }
        return table
    }
}
