import Blekeep
import BusBench
import DBus
import RunLoop
import Testing

@testable import BlekeepSimulation

/// An adapter that blekeep switched off doesn't stay off, even if blekeep ends before it is on again.
@Suite struct SwitchedOffTests {
    /// The state that an earlier poller left, in this boot or another.
    private final class LeftBehind: Ledger, @unchecked Sendable {
        let adapters: [GatewayStatus.Adapter]
        let boot: String

        init(_ trouble: GatewayStatus.Adapter.Trouble?, boot: String) {
            adapters = [.init(name: "hci0", isOn: false, trouble: trouble)]
            self.boot = boot
        }

        func append(
            _ readings: [Reading], _ heartbeat: Heartbeat?, _ changes: LedgerChanges, durable: Bool
        ) throws -> [StoredReading] { [] }
        func lastKnown() throws -> (statuses: [DeviceStatus], entries: [LedgerEntry]) { ([], []) }
        func lastAdapters() throws -> [GatewayStatus.Adapter] { adapters }
        func lastHeartbeat() throws -> Heartbeat? {
            Heartbeat(clocks: ClockReading(boot: boot, sinceBoot: .zero, awake: .zero, time: 0))
        }
    }

    @Test(arguments: [
        (GatewayStatus.Adapter.Trouble?.some(.cycling), "this", true),
        // Another program may have turned it off since boot, or at any time.
        (.some(.cycling), "another", false), (nil, "this", false),
    ])
    func whatAnEarlierPollerHasLeftOffIsSwitchedOn(
        trouble: GatewayStatus.Adapter.Trouble?, boot: String, isOn: Bool
    ) async throws {
        try await Bench.run(.virtual, .house) { bench, world in
            world.power(on: false)
            let workshop = try await Workshop(
                bench, world, allowing: [.powerCycle], ledger: LeftBehind(trouble, boot: boot))
            try await workshop.keep(for: 60)
            #expect(workshop.deeds == (isOn ? ["Powered on"] : []))
        }
    }

    /// Returns the time of the first power cycle in a house with a stuck adapter.
    private func stuck(
        _ script: @escaping @Sendable (Workshop, _ off: Double) async throws -> Void
    ) async throws -> Workshop {
        try await Bench.run(.virtual, .house) { bench, world in
            let workshop = try await Workshop(bench, world, allowing: [.powerCycle])
            try await workshop.keep(for: 1500) { workshop in
                try await workshop.at(100)
                world.wedge(until: .replug)
                while workshop.acts.isEmpty {
                    try await bench.loop.sleep(until: bench.loop.now + .milliseconds(500))
                }
                try await script(workshop, workshop.acts[0].at)
            }
            return workshop
        }
    }

    @Test func itIsWrittenDownBefore() async throws {
        _ = try await stuck { workshop, _ in
            #expect(workshop.store.poller?.adapters.first?.trouble == .cycling)
        }
    }

    @Test func turnsTheAdapterOnBeforeItEnds() async throws {
        let workshop = try await stuck { workshop, off in
            workshop.poller.stop()
            try await workshop.at(off + 1.9)
        }
        #expect(workshop.deeds.prefix(2) == ["Powered off", "Powered on"])
        #expect(workshop.acts[1].at - workshop.acts[0].at < 2)
        #expect(workshop.world.radios[0].isPowered)
    }

    @Test func itIsSwitchedOnWhenBluetoothdComesBack() async throws {
        let workshop = try await stuck { workshop, off in
            try await workshop.at(off + 1)
            workshop.world.restartBluez(after: .seconds(10))
        }
        #expect(workshop.deeds.prefix(2) == ["Powered off", "Powered on"])
        #expect(workshop.acts[1].at - workshop.acts[0].at < 15)
        #expect(workshop.world.radios[0].isPowered)
    }

    @Test func itIsSwitchedOnWhenTheBusComesBack() async throws {
        let workshop = try await stuck { workshop, off in
            try await workshop.at(off + 1)
            workshop.bench.killBus()
            try await workshop.at(off + 10)
            try workshop.bench.startBus()
        }
        #expect(workshop.world.radios[0].isPowered)
        #expect(workshop.store.poller?.adapters.first?.isOn == true)
    }
}
