import RunLoop
import Testing

@testable import BlekeepRecords

/// The work for devices between two heartbeats.
@Suite struct DeviceWorkTests {
    private let old = DeviceActivity(device: "attic", address: BluetoothAddress(bits: 1))

    private func configuration(of device: DeviceActivity) -> PollConfiguration {
        var configuration = DeviceConfiguration(alias: device.device, address: device.address)
        configuration.ownID = device.id
        return PollConfiguration(devices: [configuration])
    }

    private func book() -> LedgerBook { LedgerBook(configuration(of: old), hasLedger: true, pid: 1, at: 0) }

    private func reading(of device: DeviceActivity) -> Reading {
        Reading(
            time: 0, tick: 1, id: device.id, device: device.device, address: device.address, service: nil,
            characteristic: nil, name: "", outcome: .value(Measurement(field: "x", value: .integer(1)), raw: []))
    }

    private func setting(of device: DeviceActivity) -> DeviceSetting {
        let configuration = configuration(of: device)
        return DeviceSetting(configuration.devices[0], in: configuration)
    }

    private func change(_ book: inout LedgerBook, _ changes: [DeviceChange]) {
        book.apply(
            Reconfiguration(configuration: configuration(of: old), changes: changes, earlier: .init()), at: 0)
    }

    private func commit(_ book: inout LedgerBook) {
        let clocks = ClockReading(boot: "this", sinceBoot: .zero, awake: .zero, time: 0, isSynchronized: true)
        _ = book.changes(.all, clocks, time: 0, at: .start)
        book.committed(withHeartbeat: true, at: .start)
    }

    /// Both have the same ID, and the old one's last work isn't stored yet when the new one begins.
    @Test func theWorkOfAReplacedSensorCountsApart() {
        let new = DeviceActivity(id: old.id, device: "attic", address: BluetoothAddress(bits: 2))
        var book = book()
        book.count([reading(of: old)])
        change(&book, [DeviceChange(0, .left), DeviceChange(1, .joined(setting(of: new)))])
        book.count([reading(of: new), reading(of: new)])
        let first = book.offerWork(at: .start)
        #expect(first.map(\.address) == [old.address, new.address] && first.map(\.values) == [1, 2])
        commit(&book)
        #expect(book.offerWork(at: .start).isEmpty)
        book.count([reading(of: new)])
        #expect(book.offerWork(at: .start).map(\.values) == [1])
    }

    /// The row and the log of attempts belong to the new one.
    @Test func whatIsLateForAReplacedSensorIsItsWorkAlone() {
        let new = DeviceActivity(id: old.id, device: "attic", address: BluetoothAddress(bits: 2))
        var book = book()
        book.count([reading(of: old)])
        change(&book, [DeviceChange(0, .left), DeviceChange(1, .joined(setting(of: new)))])
        #expect(book[0] == nil)
        _ = book.apply(DeviceSnapshot(link: .held, isInUse: true, goodTicks: 9), rssi: nil, of: 0, at: .start)
        let work = book.offerWork(at: .start + .seconds(5))
        #expect(work.map(\.good) == [9] && work.map(\.onAir) == [.seconds(5)])
        let clocks = ClockReading(boot: "this", sinceBoot: .zero, awake: .zero, time: 0, isSynchronized: true)
        let changes = book.changes(.all, clocks, time: 0, at: .start)
        #expect(changes.entries.isEmpty && changes.leftDevices.isEmpty)
        #expect(changes.statuses.map(\.address) == [new.address])
        #expect(book.status(of: 0, time: 0, at: .start) == nil)
    }

    @Test func whatIsLateForARemovedDeviceCountsForNoOther() {
        let new = DeviceActivity(device: "cellar", address: BluetoothAddress(bits: 2))
        var book = book()
        change(&book, [DeviceChange(0, .left)])
        commit(&book)
        change(&book, [DeviceChange(1, .joined(setting(of: new)))])
        _ = book.claim(0, at: .start)
        _ = book.apply(DeviceSnapshot(goodTicks: 7), rssi: nil, of: 0, at: .start)
        book.count([reading(of: old)])
        #expect(book.offerWork(at: .start).isEmpty)
        _ = book.claim(1, at: .start)
        #expect(book.offerWork(at: .start).map(\.device) == ["cellar"])
    }

    /// It was removed, and the store doesn't hold its last work yet.
    @Test func theLastWorkOfARemovedDeviceIsStored() {
        var book = book()
        _ = book.claim(0, at: .start)
        change(&book, [DeviceChange(0, .left)])
        change(&book, [])
        #expect(book.offerWork(at: .start).map(\.connects) == [1])
        commit(&book)
        change(&book, [])
        #expect(book.offerWork(at: .start).isEmpty)
    }

    /// The next configuration completes the row, and the work goes on while the connection ends.
    @Test func theLastWorkOfARemovedDeviceChangesNoStatus() {
        var book = book()
        _ = book.apply(DeviceSnapshot(link: .held, isInUse: true), rssi: nil, of: 0, at: .start)
        change(&book, [DeviceChange(0, .left)])
        commit(&book)
        change(&book, [])
        _ = book.apply(DeviceSnapshot(), rssi: nil, of: 0, at: .start + .seconds(2))
        #expect(book[0] == nil && book.offerWork(at: .start + .seconds(9)).map(\.onAir) == [.seconds(2)])
        let clocks = ClockReading(boot: "this", sinceBoot: .zero, awake: .zero, time: 0, isSynchronized: true)
        #expect(book.changes(.all, clocks, time: 0, at: .start).statuses.isEmpty)
        book.committed(withHeartbeat: true, at: .start)
        #expect(book.offerWork(at: .start).isEmpty)
    }

    /// A commit without a heartbeat, or one that fails, takes none of the work.
    @Test func workThatNoHeartbeatTookStays() {
        var book = book()
        book.count([reading(of: old)])
        _ = book.offerWork(at: .start)
        book.committed(at: .start)
        book.count([reading(of: old)])
        #expect(book.offerWork(at: .start).map(\.values) == [2])
    }

    /// blekeep searches in windows, and BlueZ forgets the strength at the end of each.
    @Test func theSignalStaysBetweenWindowsUntilTheDeviceIsLost() throws {
        let device = DeviceConfiguration(alias: "attic", address: old.address)
        let record = DeviceRecord(device, number: 0, attempts: DeviceAttempts(device, at: 0), isOneOff: false)
        func rssi(_ link: DeviceStatus.Link, _ heard: Int?) -> Int? {
            _ = record.apply(DeviceSnapshot(link: link), rssi: heard, at: .start)
            return record.status(isOver: false, keepsLinks: false, time: 0, at: .start).rssi
        }
        #expect(rssi(.listening, -71) == -71 && rssi(.listening, nil) == -71)
        let failure = ReadingFailure(.silent, "nothing")
        record.attempts.status.condition = DeviceCondition(.lost, failure: failure)
        #expect(rssi(.listening, nil) == nil)
        record.attempts.status.condition = DeviceCondition(.good)
        // Of a connected one, BlueZ says nothing, for as long as that lasts.
        #expect(rssi(.listening, nil) == -71 && rssi(.held, nil) == nil && rssi(.listening, nil) == nil)
    }
}
