import Blekeep
import Testing

@testable import BlekeepCLI
@testable import BlekeepHistory

@Suite struct ReportViewTests {
    private func report() throws -> Report {
        var report = Report(from: 1_795_204_800_000, to: 1_795_248_000_000)
        report.spans = [
            Report.Span(
                offset: .zero, length: .seconds(6 * 3600), mode: .battery, supply: .battery, percentages: 60...90,
                isDraining: true),
            Report.Span(
                offset: .seconds(8 * 3600), length: .seconds(4 * 3600), mode: .normal, supply: .mains,
                percentages: 58...100),
        ]
        report.gaps = [
            Report.Gap(
                offset: .seconds(6 * 3600), length: .seconds(2 * 3600), cause: .suspend, from: 1_795_226_400_000,
                to: 1_795_233_600_000)
        ]
        for (number, name) in ["greenhouse", "\u{1B}[2Jevil"].enumerated() {
            var activity = DeviceActivity(
                device: name, address: try #require(BluetoothAddress("F0:00:00:00:00:0\(number)")))
            activity.good = 840
            activity.failed = number
            activity.missed = 2 * number
            activity.values = 3360
            activity.connects = number == 0 ? 1 : 840
            activity.onAir = number == 0 ? .seconds(36_000) : .seconds(1680)
            report.devices.append(activity)
        }
        return report
    }

    @Test func looksAsItWasLookedAt() throws {
        let view = ReportView(try report()) { _ in 3600 }
        let text = view.lines(on: .none).joined(separator: "\n") + "\n"
        #expect(isHarmless(text))
        try expectSnapshot("report", text)
        try expectSnapshot("report-json", view.json.text + "\n")
    }

    @Test func aMachineWithoutABatteryAndADayWithoutDevices() throws {
        var report = try report()
        report.devices = []
        report.gaps = []
        report.spans = [
            Report.Span(offset: .zero, length: .seconds(60), mode: .normal, supply: .unknown)
        ]
        let lines = ReportView(report) { _ in 0 }.lines(on: .none)
        #expect(lines.contains("battery  none"))
        #expect(lines.contains("gaps     none"))
    }

    /// Its newest readings aren't in any heartbeat yet.
    @Test func theReportOfARunningPollerSaysThatItIsNotComplete() throws {
        var report = try report()
        #expect(!ReportView(report) { _ in 0 }.lines(on: .none)[0].contains("heartbeat"))
        report.isRunning = true
        let time = ReportView(report) { _ in 0 }.lines(on: .none)[0]
        #expect(time.hasSuffix("adds newer readings with its next heartbeat"))
    }
}
