import Blekeep
import BusBench
import RunLoop
import Testing

@testable import BlekeepSimulation

/// A machine with two adapters: each device is read with the one that reaches it. In virtual time.
@Suite struct TwoAdaptersTests {
    private static func house(_ names: Set<String>, of scenario: Scenario) -> Scenario {
        Scenario(
            "house", "devices beside two adapters",
            adapters: [SimulatedAdapter(), SimulatedAdapter(index: 1)],
            peripherals: scenario.peripherals.filter { names.contains($0.name) })
    }

    private static let read = house(["Living Room", "Freezer"], of: .house)
    private static let heard = house(["Attic", "Balcony"], of: .beacons)

    /// What happens to the first adapter after 100 s, and the longest time without a value after that.
    private static let faults: [(name: String, limit: Double, happens: @Sendable (World) -> Void)] = [
        ("is pulled", 35, { $0.unplug(adapter: 0) }),
        ("is off", 35, { $0.power(adapter: 0, on: false) }),
        ("hangs", 95, { $0.wedge(adapter: 0, until: .replug) }),
        (
            "is behind a wall", 95,
            { world in
                for peripheral in world.scenario.peripherals { world.move(peripheral.name, attenuation: 99, from: 0) }
            }
        ),
    ]

    private func gaps(_ home: Household, _ name: String, until end: Double) -> Double {
        let moments = (home.moments(of: name).filter { $0 > 60 } + [end]).sorted()
        return zip(moments, moments.dropFirst()).map { $1 - $0 }.max() ?? .infinity
    }

    @Test(arguments: faults.indices, [false, true]) func theOtherOneGoesOn(fault: Int, isPassive: Bool) async throws {
        let (name, limit, happens) = Self.faults[fault]
        try await Bench.run(.virtual, isPassive ? Self.heard : Self.read) { bench, world in
            let home = Household(bench, world) { configuration in
                for index in configuration.devices.indices where isPassive {
                    configuration.devices[index].mode = .passive
                }
            }
            _ = try await home.keep(for: .seconds(600)) {
                try await bench.loop.sleep(until: .start + .seconds(100))
                happens(world)
            }
            for peripheral in world.scenario.peripherals {
                let gap = self.gaps(home, peripheral.name, until: 600)
                #expect(gap <= limit, "\(peripheral.name), while the first adapter \(name): \(gap) s")
            }
        }
    }

    /// An adapter that works for no device any more, while the other one reads them all, is turned off and on, once; where
    /// blekeep may not do that, it says so. bluetoothd isn't restarted, as that would end what the other one does.
    @Test(arguments: [false, true], [[], [RecoveryStep.powerCycle, .restartBluetooth]] as [Set<RecoveryStep>])
    func theOneThatHangsIsRecovered(isPassive: Bool, allowed: Set<RecoveryStep>) async throws {
        try await Bench.run(.virtual, isPassive ? Self.heard : Self.read) { bench, world in
            let home = Household(bench, world) { configuration in
                configuration.recovery = allowed
                for index in configuration.devices.indices where isPassive {
                    configuration.devices[index].mode = .passive
                }
            }
            _ = try await home.keep(for: .seconds(900)) {
                try await bench.loop.sleep(until: .start + .seconds(100))
                world.wedge(adapter: 0, until: .powerCycle)
            }
            #expect((world.radios[0].wedge == nil) == !allowed.isEmpty)
            let words = allowed.isEmpty ? "hci0 may be stuck" : "turned hci0 off and on"
            #expect(home.warnings.count { $0.contains(words) } <= 1, "\(home.warnings)")
            #expect(allowed.isEmpty == home.warnings.contains { $0.contains("hci0 may be stuck") })
            for peripheral in world.scenario.peripherals {
                #expect(self.gaps(home, peripheral.name, until: 900) <= 95)
            }
        }
    }

    /// A single device may have been carried away: its adapter is left alone.
    @Test func aDeviceCarriedAwayProvesNothing() async throws {
        try await Bench.run(.virtual, Self.house(["Attic"], of: .beacons)) { bench, world in
            let home = Household(bench, world) { configuration in
                configuration.recovery = [.powerCycle]
                configuration.devices[0].mode = .passive
            }
            _ = try await home.keep(for: .seconds(900)) {
                try await bench.loop.sleep(until: .start + .seconds(100))
                world.move("Attic", attenuation: 99, from: 0)
            }
            #expect(!home.warnings.contains { $0.contains("hci0") }, "\(home.warnings)")
        }
    }

    /// A device in another room than one adapter is read with the other one, without a failure.
    @Test func eachDeviceHasTheAdapterThatHearsIt() async throws {
        var scenario = Self.read
        scenario.peripherals = scenario.peripherals.map { $0.known(.none) }
        try await Bench.run(.virtual, scenario) { bench, world in
            world.move("Living Room", attenuation: 99, from: 0)
            world.move("Freezer", attenuation: 99, from: 1)
            let home = Household(bench, world)
            let report = try await home.keep(for: .seconds(600))
            #expect(report.devices.allSatisfy { $0.failedTicks == 0 && $0.goodTicks >= 19 })
        }
    }

    /// A device that the user names an adapter for waits for that one.
    @Test func oneThatIsPinnedStays() async throws {
        try await Bench.run(.virtual, Self.read) { bench, world in
            let home = Household(bench, world) { $0.devices[0].adapter = .name("hci0") }
            _ = try await home.keep(for: .seconds(600)) {
                try await bench.loop.sleep(until: .start + .seconds(100))
                world.unplug(adapter: 0)
            }
            let names = world.scenario.peripherals.map(\.name)
            #expect(home.moments(of: names[0]).allSatisfy { $0 < 100 })
            #expect(self.gaps(home, names[1], until: 600) <= 35)
        }
    }

    /// Where both hear everything, nothing moves and sensors are asked no more than by one.
    @Test func twoAskNoMoreThanOne() async throws {
        func requests(_ adapters: Int) async throws -> Int {
            var scenario = Self.heard
            scenario.adapters = Array(scenario.adapters.prefix(adapters))
            return try await Bench.run(.virtual, scenario) { bench, world in
                let home = Household(bench, world) { configuration in
                    for index in configuration.devices.indices { configuration.devices[index].mode = .passive }
                }
                let report = try await home.keep(for: .seconds(3600))
                #expect(report.devices.allSatisfy { $0.failedTicks == 0 && $0.goodTicks >= 119 })
                return world.peripherals.reduce(0) { $0 + $1.scanRequests }
            }
        }
        let (one, two) = (try await requests(1), try await requests(2))
        #expect(two <= one * 11 / 10, "\(one) \(two)")
    }
}
