import DBus
import RunLoop
import Testing

@testable import BlekeepBluetooth
@testable import BlekeepPoller
@testable import BlekeepRecords

/// The adapter of each device, and the number of devices on each adapter, after each event.
@Suite struct DeviceAdapterTests {
    private let first = AdapterFacts(path: "/org/bluez/hci0", address: nil, isPowered: true)
    private let second = AdapterFacts(path: "/org/bluez/hci1", address: nil, isPowered: true)

    private func facts(_ id: Int, on adapter: AdapterFacts) -> DeviceFacts {
        DeviceFacts(
            path: ObjectPath(unchecked: "\(adapter.path)/dev_\(id)"), adapter: adapter.path, isConnected: false,
            isResolved: false)
    }

    @Test func followsDevicesAndAdapters() {
        var off = first
        off.isPowered = false
        let elsewhere = AdapterFacts(path: "/org/bluez/hci2", address: nil, isPowered: true)
        let events: [(event: Event, places: [Int?], devices: [Int])] = [
            (.lost(.bluez), [nil, nil], []),
            // A device that BlueZ doesn't know goes to the first adapter that is on.
            (.bluez([second, first], [0: facts(0, on: second)]), [1, 0], [1, 1]),
            (.device(0, .reported(facts(0, on: first))), [0, 0], [2, 0]),
            (.device(1, .reported(facts(1, on: second))), [0, 1], [1, 1]),
            (.device(1, .reported(nil)), [0, 0], [2, 0]),
            (.bluez([off, second], [0: facts(0, on: first)]), [0, 1], [1, 1]),
            (.bluez([second], [0: facts(0, on: first)]), [nil, 0], [1]),
            (.bluez([second], [0: facts(0, on: second), 1: facts(1, on: elsewhere)]), [0, nil], [1]),
            (.awake("awake"), [0, 0], [2]),
            (.lost(.hung), [0, 0], [2]),
            (.lost(.bluez), [nil, nil], []),
        ]
        var poller = Scene(devices: 2)
        for (number, (event, places, devices)) in events.enumerated() {
            poller.send(event)
            #expect([0, 1].map { poller.state.adapterIndex(of: $0) } == places, "event \(number)")
            #expect(
                poller.state.adapters.indices.map { poller.state.connectable(on: $0) } == devices, "event \(number)")
        }
    }
}
