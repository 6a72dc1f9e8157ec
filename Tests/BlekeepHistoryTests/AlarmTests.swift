import BlekeepRecords
import Testing

@testable import BlekeepHistory

/// A rule that fires, as all outputs show it.
@Suite struct AlarmTests {
    private static let address = BluetoothAddress(bits: 1)

    private func report(
        _ condition: String, value: Double? = 1.97, state: DeviceCondition.State = .good, pid: Int32? = 1
    ) -> StatusReport {
        var devices = [(7, "Attic"), (1, "Freezer")].map {
            DeviceStatus(address: BluetoothAddress(bits: $0.0), name: $0.1, since: 0)
        }
        for index in devices.indices { devices[index].condition = DeviceCondition(.good, inARow: 3, failure: nil) }
        let failure = state == .good ? nil : ReadingFailure(.timeout, "no answer")
        devices[1].condition = DeviceCondition(state, inARow: 3, failure: failure)
        var poller = GatewayStatus(pid: 1, started: 0, seen: 60_000)
        poller.adapters = [.init(name: "hci0", isOn: true)]
        var report = StatusReport(poller: poller, devices: devices, pid: pid, now: 2_160_000)
        var rule = RuleStatus(rule: "freezer-warm", device: DeviceID(Self.address), condition: condition)
        (rule.phase, rule.fired, rule.message) = (.firing, RuleMoment(time: 60_000), "temperature is -2.16 °C")
        report.rules = [rule]
        let readings = value.map { number in
            Reading(
                time: 2_100_000, tick: 1, device: "Freezer", address: Self.address, service: nil, characteristic: nil,
                name: "Ruuvi",
                outcome: .value(Measurement(field: "temperature", value: .number(number), unit: "°C"), raw: []))
        }
        report.newest = NewestValues([readings].compactMap(\.self))
        return report
    }

    @Test(arguments: [
        (
            "temperature of Freezer > -10 °C for 15m, until < -12 °C", 1.97,
            "temperature of Freezer > -10 °C for 15m; now 1.97 °C"
        ),
        ("temperature of all > -10 °C", nil, "temperature of all > -10 °C"),
        ("no value of Freezer for 30s", 1.97, "no value of Freezer for 30s"),
        ("no value of Freezer for 60s", 1.97, "no value of Freezer for 60s; the last one came 1m ago"),
        ("humidity of Freezer > 70 %", 1.97, "humidity of Freezer > 70 %"),
    ])
    func itSaysWhatTheDeviceMeasuresNow(condition: String, value: Double?, text: String) {
        let report = report(condition, value: value)
        let shown = "the rule freezer-warm fires for 35m: \(text)"
        #expect(report.alarms.map(\.text) == [shown])
        let line = StatusHead(report).lines.last
        #expect(line?.text == "Freezer: \(shown)" && line?.tone == .bad && line?.device == DeviceID(Self.address))
    }

    @Test func itsDeviceIsTheFirstAndNotGood() {
        let report = report("temperature of all > -10 °C")
        #expect(report.rankedDevices.map(\.name) == ["Freezer", "Attic"])
        #expect(report.rankedDevices.map(report.state) == [.alarm, .good])
        #expect(report.since(report.rankedDevices[0]) == 60_000 && report.trouble == .ruleFires)
        #expect(report.json.contains(#""value":1.97,"unit":"°C""#))
        let why = WhyReport(
            status: report.rankedDevices[0], entries: [], name: "Freezer", alarms: report.alarms, staleSince: nil,
            now: report.now)
        #expect(
            why.sentence
                == "the rule freezer-warm fires for 35m: temperature of all > -10 °C; now 1.97 °C; good for 36m, 3 good ticks in a row"
        )
        #expect(why.advice == "blekeep reads the device well; see to what it measures.")
    }

    /// The machine's other clock knows how long it fires.
    @Test func aClockThatIsNotSetHasASpan() {
        var report = report("temperature of all > -10 °C")
        report.rules[0].fired = RuleMoment(boot: "a", sinceBoot: 100_000, time: 7, isSet: false)
        #expect(report.alarms[0].since == nil)
        report.clocks = ClockReading(boot: "a", sinceBoot: .seconds(160), awake: .seconds(160), time: report.now)
        #expect(report.alarms[0].since == report.now - 60_000)
    }

    /// A lost device needs more than its user's look, and without a poller nobody knows whether the rule is over.
    @Test func whatIsWorseStays() {
        let lost = report("temperature of all > -10 °C", state: .lost)
        #expect(lost.rankedDevices.map(lost.state) == [.lost, .good] && lost.trouble == .someFail)
        let stale = report("temperature of all > -10 °C", pid: nil)
        #expect(stale.rankedDevices.map(\.name) == ["Attic", "Freezer"])
        #expect(stale.rankedDevices.map(stale.state) == [.stale, .stale])
    }

    @Test(arguments: [
        ("temperature of a > 3 °C, until < 2 °C", "temperature of a > 3 °C"),
        ("temperature of a, until b > 3 °C", "temperature of a, until b > 3 °C"), ("nothing", nil),
    ])
    func aTextGivesItsCondition(text: String, when: String?) {
        #expect(RuleStatus(rule: "r", device: DeviceID(Self.address), condition: text).when?.text == when)
    }
}
