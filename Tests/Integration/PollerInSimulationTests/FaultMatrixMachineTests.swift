import Blekeep
import BlekeepSimulation
import DBus
import RunLoop
import Testing

/// The fault matrix's rows of the machine: adapters, sleep and power services.
@Suite struct FaultMatrixMachineTests {
    enum Loss: CaseIterable { case off, unplugged }

    /// A device on a working adapter isn't affected.
    @Test(arguments: Loss.allCases) func theOtherAdaptersDevicesGoOn(loss: Loss) async throws {
        let scenario = Scenario(
            "two", "a house with two adapters", adapters: [SimulatedAdapter(), SimulatedAdapter(index: 1)],
            peripherals: Scenario.house.peripherals)
        let story = try await FaultStory.tell(scenario) { configuration in
            for index in configuration.devices.indices {
                configuration.devices[index].adapter = .name(index % 2 == 1 ? "hci0" : "hci1")
            }
        } begin: { story in
            if loss == .off { story.world.power(on: false) } else { story.world.unplug() }
        } during: { story in
            #expect(story.status("Freezer")?.state != .good)
            #expect(story.status("Living Room")?.state == .good)
        } end: { story in
            if loss == .off { story.world.power(on: true) } else { story.world.plug() }
        }
        // Freezer and Probe are on the lost adapter.
        story.expectRecovery(of: ["Freezer", "Probe"], at: 215, within: 15, silent: 95.1...214.9)
        story.expectRecovery(of: ["Living Room", "Front Door"], at: 215, within: 10)
        story.expectOthersUndisturbed(["Living Room", "Front Door"])
    }

    /// logind announced a sleep, and never its end.
    @Test func anUnannouncedEndOfASleepLosesNoReading() async throws {
        let laptop = try await Laptop.run(for: .seconds(400)) { laptop in
            try await laptop.at(40)
            laptop.login.tell(Login1Manager.prepareForSleep.name, isBegin: true)
            try await laptop.at(49)
            // Earlier readings are on the disk, and so is the record that nothing is read now.
            #expect(laptop.home.store.heartbeats.last?.state == .asleep)
            #expect(laptop.home.store.readingsByHeartbeat.last == laptop.home.store.readings.count)
        }
        // It asks logind again after 10 s.
        #expect(laptop.reads.filter { 41..<50 ~= $0 } == [])
        #expect(laptop.reads.contains { 50..<62 ~= $0 })
        let sequences = laptop.home.store.readings.map(\.sequence)
        #expect(sequences == Array(1...Int64(sequences.count)))
        #expect(laptop.home.store.heartbeats.last?.state == .stopped)
    }

    /// No service reports power or sleep any more, and the last facts don't last.
    @Test func withoutUPowerAndLogindItGoesOnAsOnMains() async throws {
        let laptop = try await Laptop.run(for: .seconds(900)) { laptop in
            laptop.power.set(.battery(50))
            try await laptop.at(200)
            #expect(laptop.home.poller.status.power.supply == .battery)
            laptop.power.stop()
            laptop.login.stop()
            try await laptop.at(890)
            #expect(laptop.home.poller.status.power.mode == .normal)
            // The kernel of this laptop doesn't know its supply either.
            #expect(laptop.home.poller.status.power.supply != .battery)
        }
        // Twice as long from tick to tick on the battery, and as usual when nothing is known.
        #expect(laptop.reads.filter { $0 < 200 } == [0, 60, 120, 180])
        #expect(laptop.reads.filter { $0 > 400 } == Array(stride(from: 420, to: 900, by: 30)))
        #expect(laptop.home.failures == [])
    }
}
