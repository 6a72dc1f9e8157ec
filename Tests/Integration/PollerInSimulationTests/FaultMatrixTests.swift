import Blekeep
import BlekeepSimulation
import DBus
import RunLoop
import Testing

/// The rows of the fault matrix (Blekeep.docc/FaultMatrix.md): each fault alone, in virtual time.
@Suite struct FaultMatrixTests {
    // MARK: bluetoothd and the bus

    @Test func bluetoothdDies() async throws {
        let story = try await FaultStory.tell(for: 60) {
            $0.world.stop()
        } during: { story in
            #expect(story.store.poller?.outage?.code == .known(.noBluez))
        } end: { story in
            story.world.restartBluez(after: .zero)
        }
        story.expectRecovery(at: 155, within: 5, silent: 95...154.9)
        #expect(story.store.poller?.outage == nil)
    }

    @Test func bluetoothdRestartsAgainAndAgain() async throws {
        let story = try await FaultStory.tell(for: 60) { story in
            for second in stride(from: 0, to: 60, by: 3) {
                story.bench.loop.schedule(at: story.bench.loop.now + .seconds(second)) {
                    story.world.restartBluez(after: .seconds(1))
                }
            }
        } during: { story in
            #expect(story.store.entries.contains { $0.device == nil && $0.failure?.code == .known(.noBluez) })
        } end: { _ in
        }
        story.expectRecovery(at: 155, within: 15)
    }

    @Test func bluetoothdHangsForAnHour() async throws {
        let story = try await FaultStory.tell(for: 3600) {
            $0.deafness.isHung = true
        } during: { story in
            #expect(story.status("Freezer")?.state == .lost)
            #expect(story.status("Freezer")?.failure != nil)
        } end: { story in
            story.deafness.isHung = false
            story.world.restartBluez(after: .seconds(1))
        }
        story.expectRecovery(at: 3695, within: 15, silent: 105...3694)
    }

    @Test func theBusDies() async throws {
        let story = try await FaultStory.tell(for: 60) {
            $0.bench.killBus()
        } during: { story in
            #expect(story.store.poller?.outage?.code == .known(.noBus))
        } end: {
            try $0.bench.startBus()
        }
        story.expectRecovery(at: 155, within: 30, silent: 95.1...154.9)
    }

    // MARK: Adapters

    @Test func anAdapterIsSwitchedOff() async throws {
        let story = try await FaultStory.tell {
            $0.world.power(on: false)
        } during: { story in
            #expect(story.store.poller?.adapters == [.init(name: "hci0", isOn: false)])
        } end: {
            $0.world.power(on: true)
        }
        story.expectRecovery(at: 215, within: 10, silent: 95.1...214.9)
    }

    @Test func anAdapterIsPulledOutAndComesBackUnderAnotherNumber() async throws {
        let story = try await FaultStory.tell {
            $0.world.unplug()
        } during: { story in
            #expect(story.store.poller?.adapters == [])
        } end: {
            $0.world.plug(as: 3)
        }
        story.expectRecovery(at: 215, within: 15, silent: 95.1...214.9)
        #expect(story.store.poller?.adapters == [.init(name: "hci3", isOn: true)])
    }

    // MARK: One device

    @Test(arguments: OneDevice.allCases) func oneDeviceAlone(fault: OneDevice) async throws {
        let story = try await FaultStory.tell(for: 300, staying: 400) {
            fault.begin($0.world)
        } during: { story in
            #expect(story.status("Freezer")?.state == (fault == .stuck ? .needsUser : .lost), "\(fault)")
            #expect(story.status("Freezer")?.failure?.message.isEmpty == false)
        } end: { story in
            story.world.heal("Freezer")
        }
        // Its pauses have grown to five minutes at most.
        story.expectRecovery(at: 395, within: 320)
        story.expectOthersUndisturbed()
    }

    enum OneDevice: CaseIterable {
        case deaf, hangs, mute, gone, unresolved, stuck

        func begin(_ world: World) {
            switch self {
            case .deaf: world.deaf("Freezer")
            case .hangs: world.hangConnect("Freezer")
            case .mute: return world.mute("Freezer")
            case .gone: world.hide("Freezer")
            case .unresolved: world.holdServicesResolved("Freezer")
            case .stuck: return world.turnIntoZombie("Freezer")
            }
            world.drop("Freezer")
        }
    }

    /// Connect succeeds, but there is no connection.
    @Test func aZombieTakesNoSlotsFromOtherDevices() async throws {
        let story = try await FaultStory.tell(for: 300, staying: 400) { story in
            story.world.connecting("Freezer", as: .hollow)
            story.world.drop("Freezer")
        } during: { story in
            #expect(story.status("Freezer")?.state == .lost)
        } end: {
            $0.world.heal("Freezer")
        }
        // Its pauses have grown to five minutes at most.
        story.expectRecovery(at: 395, within: 320)
        story.expectOthersUndisturbed()
    }

    /// Connect succeeds, but BlueZ never reports the connection.
    @Test func findsAnUnreportedConnection() async throws {
        let story = try await FaultStory.tell(for: 300, staying: 400) { story in
            story.world.connecting("Freezer", as: .untold)
            story.world.drop("Freezer")
        } during: { story in
            #expect(story.status("Freezer")?.state == .good)
        } end: {
            $0.world.heal("Freezer")
        }
        #expect(story.moments("Freezer").filter { (100...395).contains($0) }.count >= 9)
        story.expectOthersUndisturbed()
    }

    @Test func oneDeviceThatFlapsIsReadInBetween() async throws {
        let story = try await FaultStory.tell(for: 300) { story in
            for second in stride(from: 0, to: 300, by: 7) {
                story.bench.loop.schedule(at: story.bench.loop.now + .seconds(second)) { story.world.drop("Freezer") }
            }
        } during: { story in
            let device = story.address("Freezer").map { DeviceID($0) }
            #expect(story.store.entries.contains { $0.device == device && $0.failure?.code == .known(.dropped) })
        } end: { _ in
        }
        story.expectRecovery(at: 395, within: 30)
        #expect(story.moments("Freezer").filter { (95...395).contains($0) }.count >= 10)
        story.expectOthersUndisturbed()
    }

    @Test func aDeviceThatLostItsKeysDelaysNoOther() async throws {
        var scenario = Scenario.house
        scenario.peripherals = scenario.peripherals.map { $0.name == "Freezer" ? $0.known(.bonded) : $0 }
        let story = try await FaultStory.tell(scenario) { story in
            story.world.loseBond("Freezer")
            story.world.drop("Freezer")
        } during: { story in
            #expect(story.status("Freezer")?.state == .needsUser)
            #expect(story.status("Freezer")?.failure?.code == .known(.lostKeys))
        } end: { _ in
        }
        #expect(story.isTrue("Freezer", silent: 110...300))
        #expect(story.isUnbroken)
        story.expectOthersUndisturbed()
    }

    // MARK: Clocks

    @Test(arguments: [-50, 10] as [Int64]) func theClockJumps(years: Int64) async throws {
        let jump = years * 365 * 86_400_000
        let story = try await FaultStory.tell {
            $0.skew = jump
        } during: { story in
            #expect(story.status("Freezer")?.state == .good)
        } end: {
            $0.skew = 0
        }
        // Ticks follow a clock that can't be set: as many as without the jump, in order.
        let ticks = story.store.readings.map(\.reading).filter {
            $0.device == "Freezer" && $0.characteristic == BluetoothUUID(0x2A6E)
        }.map(\.tick)
        #expect(ticks == Array(1...34))
        #expect(story.isUnbroken)
    }
}
