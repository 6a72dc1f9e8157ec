import RunLoop
import Testing

@testable import BlekeepRecords

/// The work for devices between two heartbeats.
@Suite struct ActivityCounterTests {
    private let old = DeviceActivity(device: "attic", address: BluetoothAddress(bits: 1))

    private func reading(of device: DeviceActivity) -> Reading {
        Reading(
            time: 0, tick: 1, id: device.id, device: device.device, address: device.address, service: nil,
            characteristic: nil, name: "", outcome: .value(Measurement(field: "x", value: .integer(1)), raw: []))
    }

    /// Both have the same ID, and the old one's last work isn't stored yet when the new one begins.
    @Test func theWorkOfAReplacedSensorCountsApart() {
        let new = DeviceActivity(id: old.id, device: "attic", address: BluetoothAddress(bits: 2))
        var counter = ActivityCounter([old])
        counter.count([reading(of: old)])
        counter.leave(0)
        counter.join(1, idle: new)
        counter.count([reading(of: new), reading(of: new)])
        let first = counter.activities(at: .start)
        #expect(first.map(\.address) == [old.address, new.address] && first.map(\.values) == [1, 2])
        counter.keep(first)
        #expect(counter.activities(at: .start).isEmpty)
        counter.count([reading(of: new)])
        #expect(counter.activities(at: .start).map(\.values) == [1])
    }
}
