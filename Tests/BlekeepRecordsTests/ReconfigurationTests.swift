import Testing

@testable import BlekeepRecords

/// The numbers of devices over several configurations.
@Suite struct ReconfigurationTests {
    private func settings(_ devices: [(bits: UInt64, seconds: Int)]) -> [DeviceSetting] {
        let configuration = PollConfiguration(
            devices: devices.map {
                DeviceConfiguration(address: BluetoothAddress(bits: $0.bits), interval: .seconds($0.seconds))
            })
        return configuration.devices.map { DeviceSetting($0, in: configuration) }
    }

    private func numbers(_ changes: [DeviceChange]) -> [String] {
        changes.map { change in
            switch change.kind {
            case .joined(let setting): "\(setting.device.address.bits) joined as \(change.number)"
            case .changed(_, let setting): "\(change.number) changed to \(setting.interval)"
            case .left: "\(change.number) left"
            }
        }
    }

    @Test func theSameDevicesInAnotherOrderChangeNothing() {
        var configured = ConfiguredDevices(settings([(1, 30), (2, 30)]))
        #expect(configured.apply(settings([(2, 30), (1, 30)])).isEmpty)
    }

    @Test func devicesKeepTheirNumbers() {
        var configured = ConfiguredDevices(settings([(1, 30), (2, 30), (3, 30)]))
        let changes = configured.apply(settings([(9, 30), (3, 60), (2, 30)]))
        #expect(numbers(changes) == ["0 left", "2 changed to 60.0 seconds", "9 joined as 3"])
        #expect(configured[DeviceID(BluetoothAddress(bits: 1))] == nil)
        #expect(configured[DeviceID(BluetoothAddress(bits: 2))]?.number == 1)
    }

    @Test func noNumberIsGivenAgain() {
        var configured = ConfiguredDevices(settings([(1, 30), (2, 30)]))
        #expect(numbers(configured.apply(settings([(1, 30)]))) == ["1 left"])
        #expect(numbers(configured.apply(settings([(1, 30), (3, 30)]))) == ["3 joined as 2"])
        #expect(numbers(configured.apply(settings([(1, 30), (3, 30), (2, 30)]))) == ["2 joined as 3"])
        #expect(configured.all.map(\.number) == [0, 2, 3])
    }

    @Test func anotherSensorWithTheSameIDIsAnotherDevice() {
        var old = DeviceConfiguration(address: BluetoothAddress(bits: 1))
        old.ownID = DeviceID("attic")
        var new = old
        new.address = BluetoothAddress(bits: 2)
        func settings(_ device: DeviceConfiguration) -> [DeviceSetting] {
            [DeviceSetting(device, in: PollConfiguration(devices: [device]))]
        }
        var configured = ConfiguredDevices(settings(old))
        var renamed = old
        renamed.ownID = nil
        #expect(configured.givenAnotherID(by: [renamed])?.new == renamed.id)
        #expect(configured.givenAnotherID(by: [new]) == nil)
        #expect(numbers(configured.apply(settings(new))) == ["0 left", "2 joined as 1"])
        #expect(configured[old.id]?.number == 1)
    }

    @Test func aNumberFindsItsDeviceOrNone() {
        var configured = ConfiguredDevices(settings((1...9).map { (UInt64($0), 30) }))
        for (index, device) in configured.all.enumerated() {
            #expect(configured.all.index(of: device.number) == index)
        }
        _ = configured.apply(settings([(2, 30), (3, 30), (7, 30), (10, 30)]))
        for (index, device) in configured.all.enumerated() {
            #expect(configured.all.index(of: device.number) == index)
        }
        for number: DeviceNumber in [0, 3, 4, 5, 7, 8, 10, 99] { #expect(configured.all.index(of: number) == nil) }
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
