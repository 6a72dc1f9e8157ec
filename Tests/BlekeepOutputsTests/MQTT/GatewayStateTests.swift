import BlekeepRecords
import Testing

@testable import BlekeepOutputs

/// What the broker knows of the gateway itself.
@Suite struct GatewayStateTests {
    private func poller(
        _ adapters: [GatewayStatus.Adapter],
        power: GatewayStatus.Power = .init(mode: .battery, reason: "on battery 72 %")
    ) -> LedgerChanges {
        var poller = GatewayStatus(pid: 1, started: 0, seen: 0, power: power)
        poller.adapters = adapters
        return LedgerChanges(poller: poller)
    }

    @Test func payloadHasPowerBacklogAndAdapters() {
        var state = GatewayState(version: "1.0")
        var sink = SinkStatus(name: "mqtt")
        sink.backlog = 12
        var changes = poller([.init(name: "hci1", isOn: false), .init(name: "hci0", isOn: true)])
        changes.sinks = [sink]
        let clocks = ClockReading(boot: "", sinceBoot: .zero, awake: .zero, time: 0)
        state.apply(changes, heartbeat: Heartbeat(clocks: clocks, percentage: 71.6), sink: "mqtt")
        let text = String(decoding: state.payload(at: 1_764_170_000_000), as: UTF8.self)
        #expect(
            text == #"{"version":"1.0","power_mode":"battery","battery":72,"backlog":12,"bluetooth_problem":false,"#
                + #""adapters":{"hci0":"on","hci1":"off"},"time":1764170000000}"#)
        // What a commit doesn't change stays.
        let before = state
        state.apply(LedgerChanges(), heartbeat: nil, sink: "mqtt")
        #expect(state == before)
    }

    @Test func bluetoothIsAProblemWithoutAnAdapterThatWorks() {
        var state = GatewayState(version: "1.0")
        state.apply(poller([.init(name: "hci0", isOn: true)]), heartbeat: nil, sink: "mqtt")
        #expect(!state.hasBluetoothProblem)
        for adapters: [GatewayStatus.Adapter] in [
            [], [.init(name: "hci0", isOn: false)], [.init(name: "hci0", isOn: true, trouble: .stuck)],
        ] {
            state.apply(poller(adapters), heartbeat: nil, sink: "mqtt")
            #expect(state.hasBluetoothProblem, "\(adapters)")
        }
    }
}
