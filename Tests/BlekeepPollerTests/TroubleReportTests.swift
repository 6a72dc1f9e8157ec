import DBus
import RunLoop
import Testing

@testable import BlekeepBluetooth
@testable import BlekeepPoller
@testable import BlekeepRecords

/// What the log has about trouble that was there from the start, and about refused searches.
@Suite struct TroubleReportTests {
    private func notices(_ scene: Scene) -> [String] {
        scene.effects.compactMap {
            if case .notice(let notice) = $0, notice.level != .debug { notice.text } else { nil }
        }
    }

    @Test func anOutageFromTheStartIsReportedOnce() {
        var poller = Scene(devices: 1)
        poller.send(.lost(.bluez))
        poller.advance(.seconds(4))
        #expect(notices(poller) == [])
        poller.advance(.seconds(1))
        #expect(notices(poller) == ["bluetoothd isn't running; waiting for it"])
        poller.advance(.seconds(60))
        poller.appear(0)
        poller.advance(.seconds(10))
        #expect(notices(poller).dropFirst() == ["bluetoothd is back"])
    }

    @Test func aMissingBusIsReportedWithItsReason() {
        var poller = Scene(devices: 1)
        poller.send(.lost(.bus("this user may not use the message bus")))
        poller.advance(.seconds(5))
        #expect(notices(poller) == ["this user may not use the message bus; waiting for the message bus"])
    }

    @Test func aBluezThatStartsALittleLaterIsNoNews() {
        var poller = Scene(devices: 1)
        poller.send(.lost(.bluez))
        poller.advance(.seconds(4))
        poller.appear(0)
        poller.advance(.seconds(20))
        #expect(notices(poller) == [])
    }

    @Test func aMissingAdapterIsReportedOnceAndSoIsItsArrival() {
        var poller = Scene(devices: 1)
        poller.send(.bluez([], [:]))
        poller.advance(.seconds(5))
        poller.advance(.seconds(60))
        #expect(notices(poller) == ["there is no Bluetooth adapter; waiting for it"])
        poller.appear(0)
        poller.advance(.seconds(60))
        #expect(notices(poller).dropFirst() == ["adapter hci0 is there"])
    }

    @Test func anAdapterThatIsOffIsReportedOnce() {
        var poller = Scene(devices: 1)
        var off = poller.adapter
        off.isPowered = false
        poller.send(.bluez([off], [:]))
        poller.advance(.seconds(5))
        poller.advance(.seconds(60))
        #expect(notices(poller) == ["adapter hci0 is off; waiting for it"])
        poller.appear(0)
        poller.advance(.seconds(60))
        #expect(notices(poller).dropFirst() == ["adapter hci0 is on again"])
    }

    @Test func anAdapterThatIsPulledOutIsReportedOnce() {
        var poller = Scene(devices: 1)
        poller.appear(0)
        poller.advance(.seconds(20))
        poller.send(.bluez([], [:]))
        poller.advance(.seconds(5))
        poller.send(.bluez([], [:]))
        poller.advance(.seconds(60))
        #expect(notices(poller) == ["there is no Bluetooth adapter; waiting for it"])
    }

    private static let refusal = BusError.remote(name: "org.bluez.Error.Failed", message: "no")

    @Test func refusedSearchesAreReportedOnceAndEndTheTickWithTheReason() {
        var poller = Scene(devices: 1, mode: .passive)
        poller.send(.bluez([poller.adapter], [:]))
        for count in 1...6 {
            #expect(poller.effects.discoveries == count)
            poller.send(.discovering(poller.adapter.path, Self.refusal))
            poller.advance(.seconds(60))
        }
        let message = "BlueZ refuses to search for devices with hci0 (no)"
        #expect(notices(poller) == ["\(message); still retrying"])
        #expect(poller.effects.failures.suffix(3) == ["no_discovery", "no_discovery", "no_discovery"])
        #expect(poller.state.machineSnapshot.adapters.map(\.trouble) == [.noDiscovery])
        poller.send(.discovering(poller.adapter.path, nil))
        #expect(notices(poller).last == "BlueZ searches for devices with hci0 again")
        #expect(poller.state.machineSnapshot.adapters.map(\.trouble) == [nil])
    }

    /// The pauses between refused searches grow to a minute.
    @Test func refusedSearchesAreRetriedMoreAndMoreRarely() {
        var poller = Scene(devices: 1, mode: .passive)
        poller.send(.bluez([poller.adapter], [:]))
        var times: [Duration] = []
        while poller.now < .start + .seconds(300) {
            let count = poller.effects.discoveries
            poller.send(.discovering(poller.adapter.path, Self.refusal))
            while poller.effects.discoveries == count { poller.advance(.milliseconds(500)) }
            times.append(poller.now.sinceStart)
        }
        #expect(times.count < 12)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 <= .seconds(61) })
    }

    @Test func aRefusedFilterIsReportedOnce() {
        var poller = Scene(devices: 1, mode: .passive)
        poller.send(.bluez([poller.adapter], [:]))
        let refused = FilterRefusal(keys: ["DuplicateData"], error: Self.refusal)
        for _ in 0..<3 { poller.send(.discovering(poller.adapter.path, nil, refused: refused)) }
        #expect(
            notices(poller) == [
                "BlueZ refuses DuplicateData in the filter of a search with hci0 (no); "
                    + "blekeep searches without"
            ])
        #expect(poller.state.machineSnapshot.adapters.map(\.trouble) == [.noFilter])
    }
}

@Suite struct NotifyOnlyTests {
    private func characteristic(_ uuid: UInt16, _ flags: [String]) -> GattCharacteristic {
        GattCharacteristic(
            path: ObjectPath(unchecked: "/a/\(uuid)"), uuid: BluetoothUUID(uuid), service: BluetoothUUID(0x1809),
            flags: flags,
            descriptors: [:])
    }

    /// Without configuration, blekeep subscribes to what a device only notifies or indicates.
    @Test func subscribesToWhatADeviceOnlySendsByItself() throws {
        var tree = GattTree(of: "/a", in: ObjectTree())
        tree.characteristics = [
            characteristic(0x2A1C, ["indicate"]), characteristic(0x2A37, ["notify"]), characteristic(0x2A6E, ["read"]),
            characteristic(0x2A06, ["write"]),
        ]
        let device = DeviceConfiguration(address: BluetoothAddress(bits: 1))
        let setting = DeviceSetting(device, in: PollConfiguration(devices: [device]))
        let choice = PointChoice.choose(from: tree, for: setting) { _ in true }
        #expect(choice.points.map(\.characteristic.uuid) == [0x2A1C, 0x2A37, 0x2A6E].map { BluetoothUUID($0) })
        #expect(choice.points.map(\.subscribes) == [true, true, false])
    }
}
