import Blekeep
import BusBench
import RunLoop
import Testing

@testable import BlekeepSimulation

/// An adapter that hears nothing, and sensors that only advertise.
@Suite struct SilentRadioTests {
    /// Two sensors that advertise once a second.
    private static let pair = Scenario(
        "pair", "two sensors that only advertise",
        peripherals: Scenario.beacons.peripherals.filter { ["Attic", "Balcony"].contains($0.name) })

    /// A window that says when it is opened or closed, and a thermometer.
    private static let window = Scenario(
        "window", "a sensor that sends by trigger, beside another one",
        peripherals: Scenario.beacons.peripherals.filter { ["Window", "Balcony"].contains($0.name) })

    /// Its silence has no limit but the user's, and is no evidence against the adapter.
    @Test(arguments: [nil, Duration.seconds(600)]) func aSensorThatSendsByTriggerIsQuiet(limit: Duration?) async throws
    {
        try await Bench.run(.virtual, Self.window) { bench, world in
            func make(after former: Workshop? = nil) async throws -> Workshop {
                try await Workshop(bench, world, allowing: [.powerCycle], after: former) {
                    for index in $0.devices.indices {
                        $0.devices[index].mode = .passive
                        if $0.devices[index].alias == "Window" { $0.devices[index].silence = limit }
                    }
                }
            }
            let first = try await make()
            try await first.keep(for: 500) { workshop in
                try await workshop.at(40)
                world.hide("Window")
            }
            #expect(first.status("Window")?.state == .good)
            // Nor after a restart.
            let second = try await make(after: first)
            try await second.keep(for: 1400)
            #expect(second.status("Window")?.state == (limit == nil ? .good : .lost))
            #expect(second.status("Balcony")?.state == .good && second.deeds == [])
        }
    }

    private func run(
        allowing steps: Set<RecoveryStep>, interval: Duration = .seconds(10), for seconds: Double,
        _ script: @escaping @Sendable (Workshop) async throws -> Void
    ) async throws -> Workshop {
        try await Bench.run(.virtual, Self.pair) { bench, world in
            let workshop = try await Workshop(bench, world, allowing: steps, interval: interval) {
                for index in $0.devices.indices { $0.devices[index].mode = .passive }
            }
            try await workshop.keep(for: seconds, script)
            return workshop
        }
    }

    @Test func anAdapterThatHearsNoDeviceAnyMoreIsSwitchedOffAndOn() async throws {
        let workshop = try await run(allowing: [.powerCycle], for: 420) { workshop in
            try await workshop.at(60)
            workshop.world.wedge(until: .powerCycle)
        }
        #expect(workshop.deeds == ["Powered off", "Powered on"])
        #expect(workshop.told == ["rest", "power_cycle", "recovered"])
        for name in ["Attic", "Balcony"] {
            #expect(workshop.moments(name).contains { $0 > (workshop.acts.last?.at ?? .infinity) }, "\(name)")
        }
    }

    /// One of two that is silent is its own trouble.
    @Test func aSilentDeviceBesideOthersIsNoEvidence() async throws {
        let workshop = try await run(allowing: [.powerCycle], for: 600) { workshop in
            try await workshop.at(60)
            workshop.world.hide("Attic")
        }
        #expect(workshop.deeds == [] && workshop.told == [])
    }

    /// BlueZ accepts searches and does none. That is the adapter's trouble, and not the devices'.
    @Test func aSearchThatIsNoneIsTheAdaptersTrouble() async throws {
        let workshop = try await run(allowing: [], interval: .seconds(30), for: 460) { workshop in
            try await workshop.at(65)
            workshop.world.ignoreSearches(true)
            try await workshop.at(250)
            // Five such searches over a minute are evidence; here, no step is allowed but the advice.
            #expect(workshop.store.poller?.adapters.first?.trouble == .stuck && workshop.told == ["rest", "replug"])
            #expect(workshop.status("Attic")?.failure?.code == .known(.noDiscovery))
            #expect(workshop.status("Attic")?.failure?.message.contains("doesn't search") == true)
            try await workshop.at(300)
            workshop.world.ignoreSearches(false)
        }
        #expect(workshop.log.filter { $0.contains("but doesn't search; still retrying") }.count == 1)
        #expect(workshop.log.filter { $0.contains("BlueZ searches for devices with hci0 again") }.count == 1)
        #expect(workshop.moments("Attic").contains { $0 > 370 })
        #expect(workshop.store.poller?.adapters.first?.trouble == nil)
    }
}
