import Testing

@testable import BlekeepRecords

/// The numbers of devices over several configurations.
@Suite struct RosterTests {
    private func settings(_ devices: [(bits: UInt64, seconds: Int)]) -> [DeviceSetting] {
        let configuration = PollConfiguration(
            devices: devices.map {
                DeviceConfiguration(address: BluetoothAddress(bits: $0.bits), interval: .seconds($0.seconds))
            })
        return configuration.devices.map { DeviceSetting($0, in: configuration) }
    }

    private func numbers(_ changes: [Roster.Change]) -> [String] {
        changes.map { change in
            switch change.kind {
            case .joined(let setting): "\(setting.device.address.bits) joined as \(change.id)"
            case .changed(_, let setting): "\(change.id) changed to \(setting.interval)"
            case .left: "\(change.id) left"
            }
        }
    }

    @Test func theSameDevicesInAnotherOrderChangeNothing() {
        var roster = Roster(settings([(1, 30), (2, 30)]))
        #expect(roster.apply(settings([(2, 30), (1, 30)]), isFree: { _ in true }).isEmpty)
    }

    @Test func devicesKeepTheirNumbers() {
        var roster = Roster(settings([(1, 30), (2, 30), (3, 30)]))
        let changes = roster.apply(settings([(9, 30), (3, 60), (2, 30)]), isFree: { _ in true })
        #expect(numbers(changes) == ["0 left", "2 changed to 60.0 seconds", "9 joined as 3"])
        #expect(roster.number(of: DeviceID(BluetoothAddress(bits: 1))) == nil)
        #expect(roster.number(of: DeviceID(BluetoothAddress(bits: 2))) == 1)
    }

    @Test func aNumberIsGivenAgainWhenNoWorkIsLeft() {
        var roster = Roster(settings([(1, 30), (2, 30)]))
        _ = roster.apply(settings([(2, 30)]), isFree: { _ in false })
        var busy = roster
        #expect(numbers(busy.apply(settings([(2, 30), (3, 30)]), isFree: { _ in false })) == ["3 joined as 2"])
        #expect(numbers(roster.apply(settings([(2, 30), (3, 30)]), isFree: { _ in true })) == ["3 joined as 0"])
    }

    @Test func aDeviceThatComesBackGetsItsOwnNumber() {
        var roster = Roster(settings([(1, 30), (2, 30)]))
        _ = roster.apply(settings([(2, 30)]), isFree: { _ in true })
        let changes = roster.apply(settings([(3, 30), (1, 30), (2, 30)]), isFree: { _ in true })
        #expect(numbers(changes) == ["1 joined as 0", "3 joined as 2"])
    }

    @Test func anotherSensorWithTheSameIDIsAnotherDevice() {
        var old = DeviceConfiguration(address: BluetoothAddress(bits: 1))
        old.ownID = DeviceID("attic")
        var new = old
        new.address = BluetoothAddress(bits: 2)
        func settings(_ device: DeviceConfiguration) -> [DeviceSetting] {
            [DeviceSetting(device, in: PollConfiguration(devices: [device]))]
        }
        var roster = Roster(settings(old))
        var renamed = old
        renamed.ownID = nil
        #expect(roster.givenAnotherID(by: [renamed])?.new == renamed.id && roster.givenAnotherID(by: [new]) == nil)
        #expect(numbers(roster.apply(settings(new), isFree: { _ in false })) == ["0 left", "2 joined as 1"])
        #expect(roster.number(of: old.id) == 1)
    }

    @Test func numbersDoNotGrowWithEachConfiguration() {
        var roster = Roster(settings([(1, 30)]))
        for bits in UInt64(2)...500 { _ = roster.apply(settings([(bits, 30)]), isFree: { _ in true }) }
        #expect(roster.settings.count == 2)
    }

    @Test func onlySomeChangesNeedANewConnection() {
        let old = DeviceConfiguration(address: BluetoothAddress(bits: 1))
        func fits(_ change: (inout DeviceConfiguration) -> Void) -> Bool {
            var new = old
            change(&new)
            let configuration = PollConfiguration(devices: [old])
            return DeviceSetting(new, in: configuration).fitsConnection(of: DeviceSetting(old, in: configuration))
        }
        #expect(fits { $0.interval = .seconds(60) })
        #expect(fits { $0.alias = "attic" })
        #expect(!fits { $0.mode = .release })
        #expect(!fits { $0.characteristics = [CharacteristicConfiguration(characteristic: BluetoothUUID(0x2A6E))] })
    }
}
