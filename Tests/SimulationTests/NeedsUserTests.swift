import Blekeep
import DBus
import RunLoop
import Testing

@testable import BlekeepSimulation

/// A keeper whose devices want to be paired first, in virtual time.
@Suite struct NeedsUserTests {
    @Test func whatNeedsPairingIsToldOnceAndParked() async throws {
        try await Bench.run(.virtual, .passkey) { bench, world in
            let home = Household(bench, world)
            _ = try await home.keep(for: .seconds(600))
            let failures = home.failures.filter { $0.code == "needs_user" }
            #expect(failures.count == 5)
            #expect(failures.contains { $0.message.contains("blekeep pair F0:00:04:00:00:01") })
            // The other values of the same devices go on, and nobody was paired.
            #expect(home.moments(of: "Passkey", 0x2A19).count >= 18)
            #expect(home.failures.allSatisfy { $0.code == "needs_user" })
            #expect(world.radios.allSatisfy { $0.kept.values.allSatisfy { !$0.isBonded } })
        }
    }

    @Test func afterPairingItIsReadWithoutARestart() async throws {
        try await Bench.run(.virtual, .passkey) { bench, world in
            let home = Household(bench, world) { configuration in
                configuration.devices = configuration.devices.filter { $0.alias == "Passkey" }
            }
            _ = try await home.keep(for: .seconds(200)) {
                try await bench.loop.sleep(until: .start + .seconds(65))
                let central = try await Central.open(nil, on: bench.loop) { () async throws(BusError) in
                    try await bench.connect()
                }
                let address = world.scenario.peripherals[0].address
                try await central.peripheral(address).pair(PairingOptions(secret: PairingSecret("123456"))) { _, _ in }
                central.close()
            }
            #expect(home.moments(of: "Passkey", 0x2A6E).count >= 3)
            #expect(home.failures.filter { $0.code == "needs_user" }.count == 1)
        }
    }

    /// A person's own agent comes first: ours is asked only where there is no other.
    @Test func anotherAgentIsAskedFirst() async throws {
        try await Bench.run(.virtual, .passkey) { bench, world in
            let home = Household(bench, world) { configuration in
                configuration.devices = configuration.devices.filter { $0.alias == "Simple" }
            }
            let desktop = try await bench.connect()
            let agent = ExportedInterface(Agent1.self)
            agent.handle(Agent1.requestAuthorization) { $0.reply() }
            desktop.export(ExportedObject("/desktop", [agent]))
            _ = try await desktop.object(Bluez.service, Bluez.root).call(
                AgentManager1.registerAgent, "/desktop", "KeyboardDisplay", within: .seconds(1))
            _ = try await home.keep(for: .seconds(100))
            #expect(home.moments(of: "Simple", 0x2A6E).count >= 3)
            #expect(home.failures.isEmpty)
        }
    }
}
