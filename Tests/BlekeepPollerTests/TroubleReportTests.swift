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
        var keeper = Scene(devices: 1)
        keeper.send(.lost(.bluez))
        keeper.advance(.seconds(4))
        #expect(notices(keeper) == [])
        keeper.advance(.seconds(1))
        #expect(notices(keeper) == ["bluetoothd isn't running; waiting for it"])
        keeper.advance(.seconds(60))
        keeper.appear(0)
        keeper.advance(.seconds(10))
        #expect(notices(keeper).dropFirst() == ["bluetoothd is back"])
    }

    @Test func aMissingBusIsReportedWithItsReason() {
        var keeper = Scene(devices: 1)
        keeper.send(.lost(.bus("this user may not use the message bus")))
        keeper.advance(.seconds(5))
        #expect(notices(keeper) == ["this user may not use the message bus; waiting for the message bus"])
    }

    @Test func aBluezThatStartsALittleLaterIsNoNews() {
        var keeper = Scene(devices: 1)
        keeper.send(.lost(.bluez))
        keeper.advance(.seconds(4))
        keeper.appear(0)
        keeper.advance(.seconds(20))
        #expect(notices(keeper) == [])
    }

    @Test func aMissingAdapterIsReportedOnceAndSoIsItsArrival() {
        var keeper = Scene(devices: 1)
        keeper.send(.bluez([], [:]))
        keeper.advance(.seconds(5))
        keeper.advance(.seconds(60))
        #expect(notices(keeper) == ["there is no Bluetooth adapter; waiting for it"])
        keeper.appear(0)
        keeper.advance(.seconds(60))
        #expect(notices(keeper).dropFirst() == ["adapter hci0 is there"])
    }

    @Test func anAdapterThatIsOffIsReportedOnce() {
        var keeper = Scene(devices: 1)
        var off = keeper.adapter
        off.isPowered = false
        keeper.send(.bluez([off], [:]))
        keeper.advance(.seconds(5))
        keeper.advance(.seconds(60))
        #expect(notices(keeper) == ["adapter hci0 is off; waiting for it"])
        keeper.appear(0)
        keeper.advance(.seconds(60))
        #expect(notices(keeper).dropFirst() == ["adapter hci0 is on again"])
    }

    @Test func anAdapterThatIsPulledOutIsReportedOnce() {
        var keeper = Scene(devices: 1)
        keeper.appear(0)
        keeper.advance(.seconds(20))
        keeper.send(.bluez([], [:]))
        keeper.advance(.seconds(5))
        keeper.send(.bluez([], [:]))
        keeper.advance(.seconds(60))
        #expect(notices(keeper) == ["there is no Bluetooth adapter; waiting for it"])
    }

    private static let refusal = BusError.remote(name: "org.bluez.Error.Failed", message: "no")

    @Test func refusedSearchesAreReportedOnceAndEndTheTickWithTheReason() {
        var keeper = Scene(devices: 1, mode: .passive)
        keeper.send(.bluez([keeper.adapter], [:]))
        for count in 1...6 {
            #expect(keeper.effects.discoveries == count)
            keeper.send(.discovering(keeper.adapter.path, Self.refusal))
            keeper.advance(.seconds(60))
        }
        let message = "BlueZ refuses to search for devices with hci0 (org.bluez.Error.Failed: no)"
        #expect(notices(keeper) == ["\(message); still retrying"])
        #expect(keeper.effects.failures.suffix(3) == ["no_discovery", "no_discovery", "no_discovery"])
        #expect(keeper.state.machineSnapshot.adapters.map(\.trouble) == [.noDiscovery])
        keeper.send(.discovering(keeper.adapter.path, nil))
        #expect(notices(keeper).last == "BlueZ searches for devices with hci0 again")
        #expect(keeper.state.machineSnapshot.adapters.map(\.trouble) == [nil])
    }

    /// The pauses between refused searches grow to a minute.
    @Test func refusedSearchesAreRetriedMoreAndMoreRarely() {
        var keeper = Scene(devices: 1, mode: .passive)
        keeper.send(.bluez([keeper.adapter], [:]))
        var times: [Duration] = []
        while keeper.now < .start + .seconds(300) {
            let count = keeper.effects.discoveries
            keeper.send(.discovering(keeper.adapter.path, Self.refusal))
            while keeper.effects.discoveries == count { keeper.advance(.milliseconds(500)) }
            times.append(keeper.now.sinceStart)
        }
        #expect(times.count < 12)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 <= .seconds(61) })
    }

    @Test func aRefusedFilterIsReportedOnce() {
        var keeper = Scene(devices: 1, mode: .passive)
        keeper.send(.bluez([keeper.adapter], [:]))
        let refused = FilterRefusal(keys: ["DuplicateData"], error: Self.refusal)
        for _ in 0..<3 { keeper.send(.discovering(keeper.adapter.path, nil, refused: refused)) }
        #expect(
            notices(keeper) == [
                "BlueZ refuses DuplicateData in the filter of a search with hci0 (org.bluez.Error.Failed: no); "
                    + "blekeep searches without"
            ])
        #expect(keeper.state.machineSnapshot.adapters.map(\.trouble) == [.noFilter])
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
        let choice = PointChoice.choose(
            from: tree, for: device, interval: .seconds(30), throttle: .seconds(1), isKnown: { _ in true })
        #expect(choice.points.map(\.characteristic.uuid) == [0x2A1C, 0x2A37, 0x2A6E].map { BluetoothUUID($0) })
        #expect(choice.points.map(\.subscribes) == [true, true, false])
    }
}
