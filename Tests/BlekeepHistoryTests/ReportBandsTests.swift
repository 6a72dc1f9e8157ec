import BlekeepRecords
import Testing

@testable import BlekeepHistory

/// The parts of a report's line.
@Suite struct ReportBandsTests {
    private func span(_ offset: Int, _ length: Int, _ mode: PowerMode) -> Report.Span {
        Report.Span(offset: .seconds(offset), length: .seconds(length), mode: mode, supply: .battery)
    }

    @Test func rowsOfOneModeAreOneBand() {
        var report = Report(from: 0, to: 4_000_000)
        report.spans = [span(0, 600, .normal), span(600, 400, .normal), span(1000, 1000, .low), span(3000, 1000, .low)]
        report.gaps = [
            Report.Gap(offset: .seconds(2000), length: .seconds(1000), cause: .crash, from: 2_000_000, to: 3_000_000)
        ]
        let bands = ReportBands(report).bands
        #expect(bands.map(\.start) == [0, 0.25, 0.75, 0.5] && bands.allSatisfy { $0.length == 0.25 })
        #expect(bands.map(\.mode) == [.normal, .low, .low, nil])
        #expect(bands.map(\.title) == ["normal mode, 16m", "low mode, 16m", "low mode, 16m", "crash, 16m"])
    }

    @Test func aReportWithoutTimeHasNoCharge() {
        let bands = ReportBands(Report(from: 0, to: 0))
        #expect(bands.bands.isEmpty && bands.charges.isEmpty)
    }

    @Test func theChargeFallsOrRises() {
        var report = Report(from: 0, to: 1_000_000)
        var draining = span(0, 500, .battery)
        (draining.percentages, draining.isDraining) = (40...60, true)
        var charging = span(500, 500, .normal)
        charging.percentages = 40...45
        report.spans = [draining, charging]
        #expect(ReportBands(report).charges.map(\.percentage) == [60, 40, 40, 45])
    }
}
