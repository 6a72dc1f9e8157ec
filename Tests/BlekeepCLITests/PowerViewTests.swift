import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import Foundation
import Logging
import RunLoop
import Testing

@testable import BlekeepCLI

/// What `power` shows of a machine's power, and of its effect on intervals.
@Suite struct PowerViewTests {
    private func configuration(_ devices: DeviceConfiguration...) -> PollConfiguration {
        PollConfiguration(devices: devices)
    }

    private func view(
        _ status: PowerStatus, _ facts: PowerFacts = PowerFacts(),
        _ configuration: PollConfiguration = PollConfiguration(),
        obstacle: String? = nil
    ) -> PowerView { PowerView(status, facts: facts, configuration: configuration, obstacle: obstacle) }

    private func rows(_ view: PowerView) -> [String] { view.table.split(separator: "\n").map(String.init) }

    @Test func showsWhatEachServiceReports() {
        let facts = PowerFacts(
            profile: "power-saver\u{1B}[2J",
            upower: UPowerFacts(onBattery: true, type: 2, isPresent: true, percentage: 14.4, state: 2, warningLevel: 3),
            isOnExternalPower: false, kernel: SupplyFacts(state: .battery, percentage: 14))
        let view = view(
            PowerStatus(mode: .low, reason: "low battery 14 %", supply: .battery, percentage: 14.4), facts)
        let rows = rows(view)
        #expect(rows[0] == "mode     low: low battery 14 %")
        #expect(rows.contains("UPower   on battery, 14 %, warning level 3"))
        #expect(rows.contains { $0.hasPrefix("profile  power-saver") })
        #expect(rows.contains("logind   not on external power"))
        #expect(rows.contains("kernel   battery, 14 %"))
        #expect(isHarmless(view.table) && isHarmless(view.line))
    }

    @Test func saysWhichServicesAreMissing() {
        let rows = rows(view(.unknown))
        #expect(rows.contains("UPower   not running") && rows.contains("profile  unknown"))
        #expect(rows.contains("logind   unknown") && rows.contains("kernel   unknown"))
        let mains = PowerFacts(upower: UPowerFacts(onBattery: false), isOnExternalPower: true)
        let powered = self.rows(view(.unknown, mains))
        #expect(powered.contains("UPower   not on battery, no battery"))
        #expect(powered.contains("logind   on external power"))
        let silent = self.rows(view(.unknown, PowerFacts(upower: UPowerFacts())))
        #expect(silent.contains("UPower   battery use unknown, no battery"))
    }

    @Test func showsHowTheModeStretchesIntervals() throws {
        let low = PowerStatus(mode: .low, reason: "low battery 14 %", supply: .battery, percentage: 14)
        let critical = PowerStatus(mode: .critical, reason: "critical battery 3 %", supply: .battery, percentage: 3)
        let freezer = DeviceConfiguration(
            alias: "freezer", address: try #require(BluetoothAddress("F0:00:00:00:00:02")), interval: .seconds(600))
        let configuration = configuration(freezer)
        let general = configuration.power.intervals.interval(of: configuration.interval, in: .low)
        let stretched = "interval 30s → \(DurationText.text(try #require(general)))"
        #expect(view(low, PowerFacts(), configuration).line == "\(stretched): low battery 14 %")
        let rows = rows(view(low, PowerFacts(), configuration))
        #expect(rows[1] == "ticks    \(stretched)" && rows[2].hasPrefix("         freezer: interval 10m"))
        #expect(view(.unknown).line == "interval 30s: no battery reported")
        #expect(view(critical).line.hasPrefix("interval 30s → "))
    }

    @Test func saysWhetherItWakesTheMachine() {
        var waking = PollConfiguration()
        waking.power.wakes = true
        #expect(rows(view(.unknown)).last == "wake     off; blekeep doesn't wake the machine for ticks")
        #expect(rows(view(.unknown, PowerFacts(), waking)).last == "wake     for ticks, every 15m at most")
        let low = PowerStatus(mode: .low, reason: "x", supply: .battery)
        #expect(rows(view(low, PowerFacts(), waking)).last == "wake     off in low mode")
        let refused = view(.unknown, PowerFacts(), waking, obstacle: "this kernel has no alarm")
        #expect(rows(refused).last == "wake     on, but not possible: this kernel has no alarm")
        #expect(refused.json.text.contains(#""wakes":false"#))
        #expect(refused.json.text.contains(#""wake_obstacle":"this kernel has no alarm""#))
    }

    @Test func programsGetNullForWhatIsUnknown() throws {
        let device = DeviceConfiguration(
            alias: "freezer", address: try #require(BluetoothAddress("F0:00:00:00:00:02")), interval: .seconds(60))
        let text = view(.unknown, PowerFacts(), configuration(device)).json.text
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["mode"] as? String == "normal" && object["percentage"] is NSNull && object["profile"] is NSNull)
        #expect(object["upower"] as? Bool == false)
        let intervals = try #require(object["intervals"] as? [[String: Any]])
        #expect(intervals.count == 2 && intervals[0]["device"] is NSNull)
        #expect(intervals[1]["device"] as? String == "freezer" && intervals[1]["base"] as? String == "1m")
    }

    // MARK: The command

    @Test func asksTheServicesOnTheBus() async throws {
        let outcome = try await run(["power"], in: .house)
        #expect(outcome.code == 0 && outcome.lines.first?.hasPrefix("mode     ") == true)
        #expect(outcome.lines.contains { $0.hasPrefix("UPower   ") })
    }

    @Test func worksWithoutABusAndEndsAtItsTimeout() async throws {
        let lines = try await Bench.run(.virtual) { bench in
            let output = Collected()
            let context = CommandContext(
                on: bench.loop, try globalOptions(["-c", emptyConfiguration, "--timeout", "10m"]),
                output: output, terminal: .none, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                environment: [:]
            ) { () async throws(BusError) in throw .disconnected }
            let power = try #require(try BlekeepCLI.Blekeep.parse(["power", "--watch", "--timeout", "10m"]) as? Power)
            try await context.run(power)
            return output.lines
        }
        // A machine at rest has no change.
        #expect(lines.count == 1 && lines[0].hasPrefix("interval "))
    }
}
