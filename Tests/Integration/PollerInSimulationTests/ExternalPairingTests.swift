import Blekeep
import BusBench
import DBus
import RunLoop
import Testing

@testable import BlekeepSimulation

/// Pairings of other programs beside a poller or an open central, in virtual time.
@Suite struct ExternalPairingTests {
    /// A desktop's agent that doesn't ask to be the default one, and a program without any agent.
    @Test func leavesPairingToAnAgentThatRegisteredLater() async throws {
        try await Bench.run(.virtual, .passkey) { bench, world in
            let home = Household(bench, world) { configuration in
                configuration.devices = configuration.devices.filter { $0.alias != "Passkey" }
            }
            let address = world.scenario.peripherals[0].address
            _ = try await home.keep(for: .seconds(120)) {
                try await bench.loop.sleep(until: .start + .seconds(40))
                let desktop = try await bench.connect()
                let agent = ExportedInterface(Agent1.self)
                agent.handle(Agent1.requestPasskey) { $0.reply([.uint32(123_456)]) }
                desktop.export(ExportedObject("/desktop", [agent]))
                _ = try await desktop.object(Bluez.service, at: Bluez.root).call(
                    AgentManager1.registerAgent, "/desktop", "KeyboardDisplay", within: .seconds(1))
                let program = try await bench.connect()
                let adapter: ObjectPath = "/org/bluez/hci0"
                _ = try await program.object(Bluez.service, at: adapter).call(
                    Adapter1.startDiscovery, within: .seconds(5))
                try await bench.loop.sleep(until: .start + .seconds(50))
                let device = try #require(adapter.child("dev_" + address.joined(by: "_")))
                _ = try? await program.object(Bluez.service, at: device).call(Device1.pair, within: .seconds(60))
            }
            #expect(world.radios.contains { $0.kept[address]?.isBonded == true })
        }
    }

    /// Only until it is known whether a request needs pairing.
    @Test func registersAnAgentOnlyForRequestsThatMayNeedPairing() async throws {
        try await Bench.run(.virtual, .passkey) { bench, world in
            let home = Household(bench, world)
            let early = Agents()
            let late = Agents()
            _ = try await home.keep(for: .seconds(200)) {
                try await early.watch(world, until: .start + .seconds(29), on: bench.loop)
                try await late.watch(world, until: .start + .seconds(200), on: bench.loop)
            }
            #expect(early.most == 1)
            #expect(late.most == 0)
            #expect(home.failures.map(\.code) == Array(repeating: .known(.needsPairing), count: 5))
            #expect(home.moments(of: "Passkey", 0x2A19).count >= 6)
        }
    }

    private final class Agents: @unchecked Sendable {
        private(set) var most = 0

        func watch(_ world: World, until end: Uptime, on loop: RunLoop) async throws {
            while loop.now < end {
                most = max(most, world.bluez?.agents.count ?? 0)
                try await loop.sleep(until: loop.now + .milliseconds(5))
            }
        }
    }

    @Test func anOpenCentralLeavesNoAgentBehind() async throws {
        try await Bench.run(.virtual, .passkey) { bench, world in
            let central = try await Central.open(nil, on: bench.loop) { () async throws(BusError) in
                try await bench.connect()
            }
            let address = world.scenario.peripherals[0].address
            try await central.peripheral(address).withLink { link in
                let battery = try await link.read(BluetoothUUID(0x2A19))
                #expect(battery.count == 1)
                do throws(BluetoothError) {
                    _ = try await link.read(BluetoothUUID(0x2A6E))
                    Issue.record("the device wants to be paired")
                } catch { #expect(error.code == .pairing) }
            }
            try await bench.loop.sleep(until: bench.loop.now + .seconds(1))
            #expect(world.bluez?.agents.count == 0)
            central.close()
        }
    }
}
