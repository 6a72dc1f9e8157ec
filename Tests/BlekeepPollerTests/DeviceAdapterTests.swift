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
            // A device that BlueZ doesn't know goes to the first adapter that is on, and others to one that knows them.
            (.bluez([second, first], [0: facts(0, on: second)]), [1, 0], [1, 1]),
            (.device(0, .reported(facts(0, on: first))), [0, 0], [2, 0]),
            (.device(1, .reported(facts(1, on: second))), [0, 1], [1, 1]),
            // A search goes on where the device was read.
            (.device(1, .reported(nil)), [0, 1], [1, 1]),
            (.bluez([off, second], [0: facts(0, on: first)]), [1, 1], [0, 2]),
            (.bluez([second], [0: facts(0, on: first)]), [0, 0], [2]),
            (.bluez([second], [0: facts(0, on: second), 1: facts(1, on: elsewhere)]), [0, 0], [2]),
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

    /// Another program's connections are left alone, unless the user names the adapter or there is no other one.
    @Test(arguments: [nil, AdapterChoice.name("hci0")]) func leavesAnotherProgramsAdapterAlone(choice: AdapterChoice?) {
        var busy = first
        busy.externalLinks = 1
        var poller = Scene(devices: 1, mode: .passive)
        poller.state.settings.adapter = choice
        poller.send(.bluez([busy], [0: facts(0, on: first)]))
        #expect(poller.state.adapterIndex(of: 0) == 0)
        poller.send(.bluez([busy, second], [0: facts(0, on: first)]))
        #expect(poller.state.adapterIndex(of: 0) == (choice == nil ? 1 : 0))
    }

    /// Keys belong to an adapter, and so does a device that has them.
    @Test func aBondedDeviceStays() {
        var bonded = facts(0, on: first)
        bonded.isPaired = true
        var off = first
        off.isPowered = false
        var poller = Scene(devices: 1, mode: .passive)
        for (adapters, strength) in [([first, second], -90), ([first, second], -30), ([off, second], -30)] {
            poller.send(.bluez(adapters, [0: [bonded, facts(0, on: second)]]))
            poller.send(.device(0, .heard(with: second.path, rssi: strength)))
            #expect(poller.state.adapterIndex(of: 0) == 0)
        }
    }

    /// BlueZ forgets the object that is being connected, and knows the device through the other adapter, where another
    /// program may use it.
    @Test func anAttemptEndsWithItsObject() {
        var poller = Scene(devices: 1)
        poller.send(.bluez([first, second], [0: facts(0, on: first)]))
        #expect(poller.effects.connects == [0])
        let link = poller.state.devices[0].link.number
        poller.send(.device(0, .reported(facts(0, on: second))))
        poller.send(.device(0, .connected(link: link, .timedOut)))
        #expect(poller.effects.disconnects.isEmpty)
        #expect(poller.effects.ends.isEmpty && poller.effects.failedAttempts.map(\.phase) == [.connect])
    }

    /// In critical power mode, an adapter that only helps searches for no device between its ticks, as its own one.
    @Test(arguments: PowerMode.allCases) func theOtherAdapterSavesPower(mode: PowerMode) {
        let device = Scene(devices: 1, mode: .hold).state.devices[0]
        var contender = device.contender(
            owners: .all, listensOpenly: false, isMonitored: false, in: mode, at: .start)
        for _ in 0..<2 {
            #expect(contender.wish == .search(isAllowed: mode < .critical))
            device.onlyHelps(&contender, on: second.path, at: .start)
        }
    }

    /// Only the device that the user gave the missing adapter to waits for it, and says so.
    @Test func aMissingAdapterIsSaidOfItsDevices() {
        var poller = Scene(devices: 2)
        var plans = poller.state.devices.map(\.plan)
        plans[0].adapter = .name("hci7")
        poller.state = PollerState(plans: plans, adapter: nil, maxLinks: 5, at: .start)
        poller.send(.bluez([first, second], [1: facts(1, on: first)]))
        for _ in 0..<20 { poller.advance(.seconds(1)) }
        let message = "there is no Bluetooth adapter hci7"
        #expect(poller.effects.failedAttempts.filter { $0.failure?.message == message }.count == 1)
        #expect("\(poller.state.devices[0].health.condition)".contains(message))
        #expect(!poller.effects.contains { if case .commonAttempt = $0 { true } else { false } })
    }

    /// The status names the adapter, where there is a choice.
    @Test func theStatusNamesTheAdapter() {
        var poller = Scene(devices: 1, mode: .passive)
        poller.send(.bluez([first], [0: facts(0, on: first)]))
        #expect(poller.state.devices[0].snapshot(in: .normal).adapter == nil)
        poller.send(.bluez([first, second], [0: facts(0, on: first)]))
        #expect(poller.state.devices[0].snapshot(in: .normal).adapter == "hci0")
        poller.send(.device(0, .heard(with: second.path, rssi: -40)))
        poller.send(.device(0, .reported([facts(0, on: first), facts(0, on: second)])))
        #expect(poller.state.devices[0].snapshot(in: .normal).adapter == "hci1")
        poller.send(.bluez([first], [0: facts(0, on: first)]))
        #expect(poller.state.adapterIndex(of: 0) == 0)
    }
}
