import RunLoop
import Testing

@testable import BlekeepRecords

/// The work for devices between two heartbeats.
@Suite struct HeartbeatSchedulerTests {
    private let old = DeviceActivity(device: "attic", address: BluetoothAddress(bits: 1))

    private func scheduler() -> HeartbeatScheduler {
        HeartbeatScheduler([old], asleep: { .zero }, clocks: ClockReading.now)
    }

    private func reading(of device: DeviceActivity) -> Reading {
        Reading(
            time: 0, tick: 1, id: device.id, device: device.device, address: device.address, service: nil,
            characteristic: nil, name: "", outcome: .value(Measurement(field: "x", value: .integer(1)), raw: []))
    }

    private func setting(of device: DeviceActivity) -> DeviceSetting {
        var configuration = DeviceConfiguration(alias: device.device, address: device.address)
        configuration.ownID = device.id
        return DeviceSetting(configuration, in: PollConfiguration(devices: [configuration]))
    }

    /// Both have the same ID, and the old one's last work isn't stored yet when the new one begins.
    @Test func theWorkOfAReplacedSensorCountsApart() {
        let new = DeviceActivity(id: old.id, device: "attic", address: BluetoothAddress(bits: 2))
        let counter = scheduler()
        counter.count([reading(of: old)])
        counter.apply([DeviceChange(0, .left), DeviceChange(1, .joined(setting(of: new)))])
        counter.count([reading(of: new), reading(of: new)])
        let first = counter.activities(at: .start)
        #expect(first.map(\.address) == [old.address, new.address] && first.map(\.values) == [1, 2])
        counter.keep(first)
        #expect(counter.activities(at: .start).isEmpty)
        counter.count([reading(of: new)])
        #expect(counter.activities(at: .start).map(\.values) == [1])
    }

    @Test func whatIsLateForARemovedDeviceCountsForNoOther() {
        let new = DeviceActivity(device: "cellar", address: BluetoothAddress(bits: 2))
        let counter = scheduler()
        counter.apply([DeviceChange(0, .left)])
        counter.apply([DeviceChange(1, .joined(setting(of: new)))])
        counter.connects(0)
        counter.apply(DeviceSnapshot(goodTicks: 7), of: 0, at: .start)
        counter.count([reading(of: old)])
        #expect(counter.activities(at: .start).isEmpty)
        counter.connects(1)
        #expect(counter.activities(at: .start).map(\.device) == ["cellar"])
    }

    /// It was removed, and the store doesn't hold its last work yet.
    @Test func theLastWorkOfARemovedDeviceIsStored() {
        let counter = scheduler()
        counter.connects(0)
        counter.apply([DeviceChange(0, .left)])
        counter.apply([])
        let last = counter.activities(at: .start)
        #expect(last.map(\.connects) == [1])
        counter.keep(last)
        counter.apply([])
        #expect(counter.activities(at: .start).isEmpty)
    }
}
