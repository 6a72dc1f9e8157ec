import Blekeep
import BusBench
import DBus
import RunLoop
import Testing

@testable import BlekeepSimulation

/// Devices that BlueZ connects through classic Bluetooth, and devices whose services in BlueZ's cache are stale.
@Suite struct BearerTests {
    private static let device1 = Device1.name.text
    private static let bearer = BearerLE1.name.text

    /// A house with one device that BlueZ connects through classic Bluetooth.
    private func dual(
        _ dualMode: SimulatedDualMode, allowing steps: Set<RecoveryStep> = [], for seconds: Double = 300,
        _ script: @escaping @Sendable (Workshop) async throws -> Void = { _ in }
    ) async throws -> (workshop: Workshop, report: PollerReport) {
        let scenario = Scenario(
            "dual", "one that is taken for another", peripherals: [Scenario.house.peripherals[0].mistaken(dualMode)])
        return try await Bench.run(.virtual, scenario) { bench, world in
            let workshop = try await Workshop(bench, world, allowing: steps)
            let report = try await workshop.keep(for: seconds, script)
            return (workshop, report)
        }
    }

    @Test func isConnectedByLowEnergyAloneWhereBluezOffersThat() async throws {
        let (workshop, report) = try await dual(SimulatedDualMode(offersBearer: true, offersPreference: true)) {
            try await $0.at(200)
            $0.world.drop("Living Room")
        }
        // Once the wrong way, and never again.
        #expect(workshop.connects == [Self.device1, Self.bearer, Self.bearer])
        #expect(workshop.deeds == [])
        #expect(report.devices[0].failedTicks == 0)
        #expect(report.devices[0].goodTicks == 10)
    }

    @Test func prefersLowEnergyOnlyWhenConfigured() async throws {
        let (workshop, report) = try await dual(
            SimulatedDualMode(offersPreference: true), allowing: [.preferLowEnergy])
        #expect(workshop.deeds == ["PreferredBearer le"])
        #expect(workshop.connects == [Self.device1, Self.device1])
        #expect(report.devices[0].goodTicks == 10)
        #expect(workshop.words("prefer_le")?.hasPrefix("Living Room: set BlueZ to prefer Low Energy") == true)
    }

    @Test(
        arguments: [
            (SimulatedDualMode(offersPreference: true), [] as Set<RecoveryStep>),
            (SimulatedDualMode(), Set(RecoveryStep.allCases)),
        ] as [(SimulatedDualMode, Set<RecoveryStep>)])
    func advisesTheUserWhenItCannotPreferLowEnergy(dualMode: SimulatedDualMode, steps: Set<RecoveryStep>) async throws {
        let (workshop, report) = try await dual(dualMode, allowing: steps)
        #expect(workshop.deeds == [])
        #expect(report.devices[0].goodTicks == 0)
        #expect(report.devices[0].lastFailure?.message.contains("ControllerMode = le") == true)
        #expect(workshop.log.filter { $0.contains("ControllerMode") }.count == 1)
    }

    /// Without `--experimental`, BlueZ exports the bearer interface without methods.
    @Test func ignoresABearerWithoutMethods() async throws {
        let (workshop, report) = try await dual(
            SimulatedDualMode(offersBearer: true, offersPreference: true, isHollow: true),
            allowing: [.preferLowEnergy])
        #expect(workshop.connects == [Self.device1, Self.bearer, Self.device1])
        #expect(workshop.deeds == ["PreferredBearer le"])
        #expect(report.devices[0].goodTicks == 10)
    }

    // MARK: BlueZ's cache

    /// A house in which BlueZ's cache of the freezer's services is stale from the 100th second on.
    private func stale(
        allowing steps: Set<RecoveryStep>, bonded: Bool = false, for seconds: Double = 1200,
        interval: Duration = .seconds(30),
        _ script: @escaping @Sendable (Workshop) async throws -> Void = { _ in }
    ) async throws -> Workshop {
        var scenario = Scenario.house
        scenario.peripherals = scenario.peripherals.map { $0.known(bonded ? .bonded : .known) }
        return try await Bench.run(.virtual, scenario) { bench, world in
            let workshop = try await Workshop(bench, world, allowing: steps, interval: interval) { configuration in
                configuration.devices.removeAll { $0.alias == "Heart Strap" }
                for place in configuration.devices.indices { configuration.devices[place].mode = .hold }
            }
            try await workshop.keep(for: seconds) { workshop in
                try await workshop.at(100)
                world.makeStale("Freezer")
                try await script(workshop)
            }
            return workshop
        }
    }

    @Test func removesAStaleDeviceOnlyWhenConfigured() async throws {
        let workshop = try await stale(allowing: [.forgetStale])
        #expect(workshop.deeds == ["remove"])
        #expect(workshop.moments("Freezer").contains { $0 > 120 && $0 < 240 })
        #expect(workshop.status("Freezer")?.state == .good)
        #expect(workshop.words("forget")?.hasPrefix("Freezer: removed from BlueZ's cache") == true)
        // Other devices are still read.
        #expect(workshop.moments("Living Room").count > 100)
    }

    @Test(arguments: [(false, [] as Set<RecoveryStep>), (true, [.forgetStale])] as [(Bool, Set<RecoveryStep>)])
    func asksTheUserToForgetAStaleDevice(bonded: Bool, steps: Set<RecoveryStep>) async throws {
        let workshop = try await stale(allowing: steps, bonded: bonded)
        #expect(workshop.deeds == [])
        #expect(workshop.status("Freezer")?.state == .needsUser)
        #expect(workshop.status("Freezer")?.failure?.code == .known(.staleCache))
    }

    /// A device that never fits is not forgotten again and again.
    @Test func isForgottenOnceADayAtMost() async throws {
        let workshop = try await stale(allowing: [.forgetStale], for: 90_000, interval: .seconds(600)) { workshop in
            while true {
                try await workshop.bench.loop.sleep(until: workshop.bench.loop.now + .seconds(300))
                if workshop.bench.loop.now > .start + .seconds(89_000) { return }
                workshop.world.makeStale("Freezer")
            }
        }
        let moments = workshop.acts.map(\.at)
        #expect(workshop.deeds == ["remove", "remove"])
        for (earlier, later) in zip(moments, moments.dropFirst()) { #expect(later - earlier > 86_399) }
    }

    @Test func neverRemovesADeviceWithAnExternalConnection() async throws {
        let workshop = try await Bench.run(.virtual, .house) { bench, world in
            let stranger = try await bench.connect()
            let freezer = ObjectPath(unchecked: "/org/bluez/hci0/dev_F0_00_00_00_00_02")
            _ = try await stranger.object(Bluez.service, at: freezer).call(Device1.connect, within: .seconds(20))
            world.makeStale("Freezer")
            let workshop = try await Workshop(bench, world, allowing: [.forgetStale])
            try await workshop.keep(for: 1200)
            return workshop
        }
        #expect(workshop.deeds == [])
        #expect(workshop.status("Freezer")?.state == .needsUser)
    }
}
