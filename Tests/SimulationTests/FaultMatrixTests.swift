import Blekeep
import BlekeepSimulation
import DBus
import RunLoop
import Testing

/// The rows of the fault matrix (Blekeep.docc/FaultMatrix.md): each fault alone, in virtual time.
@Suite struct FaultMatrixTests {
    private static let all = ["Living Room", "Freezer", "Probe", "Front Door"]

    /// What holds after every fault: all are read again in time, nothing was made up or lost.
    private func expectRecovery(
        _ story: FaultStory, of names: [String] = Self.all, at end: Double, within limit: Double,
        silent: ClosedRange<Double>? = nil, _ location: SourceLocation = #_sourceLocation
    ) {
        for name in names {
            let first = story.first(name, after: end)
            #expect(first <= end + limit, "\(name) is read again after \(first - end) s", sourceLocation: location)
            let silent = silent ?? -2 ... -1
            #expect(story.isTrue(name, silent: silent), "\(name) was made up", sourceLocation: location)
            #expect(story.standing(name)?.state == .good, "\(name)", sourceLocation: location)
        }
        #expect(story.isUnbroken, sourceLocation: location)
    }

    // MARK: bluetoothd and the bus

    @Test func bluetoothdDies() async throws {
        let story = try await FaultStory.tell(for: 60) {
            $0.world.stop()
        } during: { story in
            #expect(story.store.keeper?.outage?.code == "no-bluez")
        } end: { story in
            story.world.restartBluez(after: .zero)
        }
        expectRecovery(story, at: 155, within: 5, silent: 95...154.9)
        #expect(story.store.keeper?.outage == nil)
    }

    @Test func bluetoothdRestartsAgainAndAgain() async throws {
        let story = try await FaultStory.tell(for: 60) { story in
            for second in stride(from: 0, to: 60, by: 3) {
                story.bench.loop.schedule(at: story.bench.loop.now + .seconds(second)) {
                    story.world.restartBluez(after: .seconds(1))
                }
            }
        } end: { _ in
        }
        expectRecovery(story, at: 155, within: 15)
    }

    @Test func bluetoothdHangsForAnHour() async throws {
        let story = try await FaultStory.tell(for: 3600) {
            $0.deafness.isHung = true
        } during: { story in
            #expect(story.standing("Freezer")?.state == .lost)
            #expect(story.standing("Freezer")?.failure != nil)
        } end: { story in
            story.deafness.isHung = false
            story.world.restartBluez(after: .seconds(1))
        }
        expectRecovery(story, at: 3695, within: 15, silent: 105...3694)
    }

    @Test func theBusDies() async throws {
        let story = try await FaultStory.tell(for: 60) {
            $0.bench.killBus()
        } during: { story in
            #expect(story.store.keeper?.outage?.code == "no-bus")
        } end: {
            try $0.bench.startBus()
        }
        expectRecovery(story, at: 155, within: 30, silent: 95.1...154.9)
    }

    // MARK: Adapters

    @Test func anAdapterIsSwitchedOff() async throws {
        let story = try await FaultStory.tell {
            $0.world.power(on: false)
        } during: { story in
            #expect(story.store.keeper?.adapters == [.init(name: "hci0", isOn: false)])
        } end: {
            $0.world.power(on: true)
        }
        expectRecovery(story, at: 215, within: 10, silent: 95.1...214.9)
    }

    @Test func anAdapterIsPulledOutAndComesBackUnderAnotherNumber() async throws {
        let story = try await FaultStory.tell {
            $0.world.unplug()
        } during: { story in
            #expect(story.store.keeper?.adapters == [])
        } end: {
            $0.world.plug(as: 3)
        }
        expectRecovery(story, at: 215, within: 15, silent: 95.1...214.9)
        #expect(story.store.keeper?.adapters == [.init(name: "hci3", isOn: true)])
    }

    // MARK: One device

    @Test(arguments: OneDevice.allCases) func oneDeviceAlone(fault: OneDevice) async throws {
        let story = try await FaultStory.tell(for: 300, staying: fault == .mute ? 1100 : 120) {
            fault.begin($0.world)
        } during: { story in
            #expect(story.standing("Freezer")?.state == .lost, "\(fault)")
            #expect(story.standing("Freezer")?.failure?.message.isEmpty == false)
        } end: { story in
            story.world.heal("Freezer")
        }
        // As long as its pause may be when it is well again.
        expectRecovery(story, at: 395, within: fault == .mute ? 1000 : 100)
        // The others go on as if nothing was.
        for name in ["Living Room", "Probe", "Front Door"] { #expect(story.lateness(name) <= 1, "\(name)") }
    }

    enum OneDevice: CaseIterable {
        case deaf, hangs, mute, gone, unresolved

        func begin(_ world: World) {
            switch self {
            case .deaf: world.deaf("Freezer")
            case .hangs: world.hangConnect("Freezer")
            case .mute: return world.mute("Freezer")
            case .gone: world.hide("Freezer")
            case .unresolved: world.holdServicesResolved("Freezer")
            }
            world.drop("Freezer")
        }
    }

    /// A Connect that is answered well, and no link behind it.
    @Test func aZombieTakesNoLinksFromOthers() async throws {
        let story = try await FaultStory.tell(for: 300, staying: 400) { story in
            story.world.connecting("Freezer", .hollow)
            story.world.drop("Freezer")
        } during: { story in
            #expect(story.standing("Freezer")?.state == .lost)
        } end: {
            $0.world.heal("Freezer")
        }
        // Its pauses have grown to five minutes at most.
        expectRecovery(story, at: 395, within: 320)
        for name in ["Living Room", "Probe", "Front Door"] { #expect(story.lateness(name) <= 1, "\(name)") }
    }

    @Test func oneDeviceThatFlapsIsReadInBetween() async throws {
        let story = try await FaultStory.tell(for: 300) { story in
            for second in stride(from: 0, to: 300, by: 7) {
                story.bench.loop.schedule(at: story.bench.loop.now + .seconds(second)) { story.world.drop("Freezer") }
            }
        } end: { _ in
        }
        expectRecovery(story, at: 395, within: 30)
        #expect(story.moments("Freezer").filter { (95...395).contains($0) }.count >= 10)
        for name in ["Living Room", "Probe", "Front Door"] { #expect(story.lateness(name) <= 1, "\(name)") }
    }

    // MARK: Clocks

    @Test(arguments: [-50, 10] as [Int64]) func theClockJumps(years: Int64) async throws {
        let jump = years * 365 * 86_400_000
        let story = try await FaultStory.tell {
            $0.skew = jump
        } during: { story in
            #expect(story.standing("Freezer")?.state == .good)
        } end: {
            $0.skew = 0
        }
        // Ticks come by a clock that nobody sets: as many as without the jump, in the order of their numbers.
        let ticks = story.store.readings.map(\.reading).filter {
            $0.device == "Freezer" && $0.characteristic == BluetoothUUID(0x2A6E)
        }.map(\.tick)
        #expect(ticks == Array(1...34))
        #expect(story.isUnbroken)
    }
}
