import Blekeep
import BlekeepOutputs
import Testing

@testable import BlekeepCLI
@testable import BlekeepHistory

@Suite struct NoticeFactsTests {
    private let attic = BluetoothAddress(bits: 1)

    private func events(
        _ state: DeviceCondition.State = .good, pid: Int32? = 1, newest: [Reading] = [],
        _ change: (inout DeviceStatus, inout GatewayStatus, inout [SinkStatus]) -> Void = { _, _, _ in }
    ) -> [NoticeEvent] {
        var device = DeviceStatus(address: attic, name: "attic", since: 0)
        device.condition = DeviceCondition(
            state, failure: state == .good ? nil : ReadingFailure(.notFound, "not heard"))
        var poller = GatewayStatus(pid: 1, started: 0, seen: 0, power: .init(mode: .normal, reason: "x"))
        var sinks: [SinkStatus] = []
        change(&device, &poller, &sinks)
        let report = StatusReport(poller: poller, devices: [device], sinks: sinks, pid: pid, now: 1000)
        return NoticeFacts(report: report, newest: newest).all(battery: 20).map(\.event)
    }

    @Test func saysHowADeviceDoes() {
        #expect(events(.good) == [.historyWorks, .diskWorks, .deviceBack])
        #expect(events(.lost) == [.historyWorks, .diskWorks, .deviceLost])
        #expect(events(.needsUser) == [.historyWorks, .diskWorks, .deviceNeedsUser])
        #expect(events(.trying) == [.historyWorks, .diskWorks])
        #expect(events(.lost) { device, _, _ in device.pause = .untilResumed } == [.historyWorks, .diskWorks])
    }

    @Test func withoutThePollerOnlyThatIsKnown() { #expect(events(.lost, pid: nil) == [.historyFails]) }

    @Test func saysHowSinksAndAdaptersDo() {
        let events = events { _, poller, sinks in
            poller.adapters = [
                .init(name: "hci0", isOn: true, trouble: .stuck), .init(name: "hci1", isOn: true, trouble: .cycling),
                .init(name: "hci2", isOn: false),
            ]
            var broken = SinkStatus(name: "mqtt")
            broken.failure = "refused"
            sinks = [broken, SinkStatus(name: "file")]
        }
        #expect(
            events == [
                .historyWorks, .diskWorks, .deviceBack, .sinkFails, .sinkWorks, .adapterStuck, .adapterWorks,
                .adapterWorks,
            ])
    }

    @Test func saysThatADiskIsSlowForAnHour() {
        #expect(
            events { _, poller, _ in poller.slow = SlowWrites(count: 1, longest: .seconds(17), last: 900) }[1]
                == .diskSlow)
        #expect(
            events { _, poller, _ in
                poller.slow = SlowWrites(count: 1, longest: .seconds(17), last: 1000 - 3_600_000)
            }[1] == .diskWorks)
    }

    private static let levels: [(MeasuredValue, NoticeEvent?)] = [
        (.integer(19), .batteryLow), (.integer(20), nil), (.integer(24), nil), (.integer(25), .batteryGood),
        (.number(0.5), .batteryLow), (.number(.nan), nil), (.number(1e300), nil), (.text("full"), nil),
    ]

    @Test(arguments: Self.levels)
    func saysHowABatteryDoes(value: MeasuredValue, event: NoticeEvent?) {
        let reading = Reading(
            time: 0, tick: 1, device: "attic", address: attic, service: nil, characteristic: BluetoothUUID(0x2A19),
            name: "Battery Level",
            outcome: .value(Measurement(field: "battery_level", value: value, unit: "%"), raw: []))
        #expect(events(newest: [reading]) == [.historyWorks, .diskWorks, .deviceBack] + (event.map { [$0] } ?? []))
    }

    @Test(arguments: [(2.49, NoticeEvent.batteryLow), (2.55, nil), (2.6, .batteryGood)])
    func aVoltageSaysHowACellDoes(volts: Double, event: NoticeEvent?) {
        let reading = Reading(
            time: 0, tick: 1, device: "attic", address: attic, service: nil, characteristic: nil, name: "RuuviTag",
            outcome: .value(Measurement(field: "battery_voltage", value: .number(volts), unit: "V"), raw: []))
        let status = DeviceStatus(address: attic, name: "attic", since: 0)
        let report = StatusReport(
            poller: GatewayStatus(pid: 1, started: 0, seen: 0), devices: [status], pid: nil, now: 1000)
        var facts = NoticeFacts(report: report, newest: [reading])
        #expect(facts.all(battery: 20).map(\.event) == [.historyFails])
        facts.batteries = [reading.id: .cr2032]
        #expect(facts.all(battery: 20).map(\.event) == [.historyFails] + (event.map { [$0] } ?? []))
    }

    @Test func aPollerThatHangsIsTheOnlyNews() {
        var poller = GatewayStatus(pid: 1, started: 0, seen: 0)
        let clocks = ClockReading(boot: "a", sinceBoot: .seconds(1), awake: .seconds(1), time: 0)
        poller.life = SignOfLife(clocks: clocks, silence: .seconds(25))
        let device = DeviceStatus(
            address: attic, name: "attic",
            condition: DeviceCondition(.lost, failure: ReadingFailure(.notFound, "not heard")), since: 0)
        let now = ClockReading(boot: "a", sinceBoot: .seconds(99), awake: .seconds(99), time: 98_000)
        let report = StatusReport(poller: poller, devices: [device], pid: 1, now: 98_000, clocks: now)
        #expect(NoticeFacts(report: report, newest: []).all(battery: 20).map(\.event) == [.historyFails])
    }
}
