import Blekeep
import BusBench
import DBus
import RunLoop
import Testing

@testable import BlekeepSimulation

/// What the log and the ledger report of a device that fails and recovers, in virtual time.
@Suite struct HealthStoryTests {
    /// Keeps one device of a scenario for 20 minutes; `fault` lasts from 95 s to 500 s.
    private func run(
        _ scenario: Scenario, _ name: String, mode: LinkMode = .auto,
        fault: @escaping @Sendable (World, Bool) -> Void
    ) async throws -> (news: [String], status: DeviceStatus?) {
        try await Bench.run(.virtual, scenario) { bench, world in
            let workshop = try await Workshop(bench, world, allowing: []) { configuration in
                configuration.devices = configuration.devices.filter { $0.alias == name }
                configuration.devices[0].mode = mode
            }
            try await workshop.keep(for: 1200) { workshop in
                try await workshop.at(95)
                fault(world, true)
                try await workshop.at(500)
                fault(world, false)
            }
            let news = workshop.log.filter { $0.hasPrefix("\(name): ") && !$0.contains("connection lost") }
            return (news, workshop.status(name))
        }
    }

    @Test func logsRecoveryOnce() async throws {
        let (news, status) = try await run(.house, "Freezer") { $1 ? $0.hide("Freezer") : $0.show("Freezer") }
        #expect(news.count { $0.contains("reads again") || $0.contains("heard again") } == 1, "\(news)")
        #expect(status?.state == .good)
    }

    @Test func logsOnceThatADeviceNeedsTheUserNoLonger() async throws {
        let (news, status) = try await run(.house, "Freezer") { $0.block("Freezer", isBlocked: $1) }
        #expect(news.count { $0.contains("bluetoothctl unblock") } == 1, "\(news)")
        #expect(news.count { $0.contains("reads again") } == 1, "\(news)")
        #expect(status?.state == .good)
    }

    @Test func judgesADeviceThatItOnlyListensTo() async throws {
        // Alone, because the others take most of the processor time.
        let alone = Scenario("tag", "a tag", peripherals: Scenario.beacons.peripherals.filter { $0.name == "Attic" })
        let (news, status) = try await run(alone, "Attic", mode: .passive) {
            $1 ? $0.hide("Attic") : $0.show("Attic")
        }
        #expect(news.count { $0.contains("reads again") || $0.contains("heard again") } == 1, "\(news)")
        #expect(status?.state == .good && status?.condition.failedInARow == 0)
        #expect(status?.lastValue ?? 0 > 1_100_000)
    }

    /// The device is lost while the first run goes on, and well again in the second.
    @Test func aRestartDoesNotHideARecovery() async throws {
        try await Bench.run(.virtual, .house) { bench, world in
            let only: (inout PollConfiguration) -> Void = { configuration in
                configuration.devices = configuration.devices.filter { $0.alias == "Freezer" }
            }
            let first = try await Workshop(bench, world, allowing: [], change: only)
            try await first.keep(for: 600) { workshop in
                try await workshop.at(95)
                world.hide("Freezer")
            }
            let before = try #require(first.status("Freezer"))
            #expect(before.state == .lost)
            let second = try await Workshop(bench, world, allowing: [], after: first, change: only)
            try await second.keep(for: 1800) { workshop in
                try await workshop.at(700)
                world.show("Freezer")
            }
            // The attempts of both runs count.
            let recoveries = second.log.filter { $0.contains("reads again") }
            #expect(recoveries.count == 1, "\(second.log)")
            let attempts = recoveries.first?.split(separator: " ").dropLast(2).last.flatMap { Int64($0) } ?? 0
            #expect(attempts > before.condition.failedInARow, "\(recoveries)")
            #expect(first.store.statuses[before.address]?.state == .good)
        }
    }

    /// Otherwise a sensor that was removed between two runs would stay connected, and take a slot of the adapter.
    @Test(arguments: [false, true])
    func endsTheLinkToADeviceThatIsConfiguredNoLonger(isUsed: Bool) async throws {
        try await Bench.run(.virtual, .house) { bench, world in
            let names = ["Freezer", "Heart Strap"]
            let first = try await Workshop(bench, world, allowing: []) { configuration in
                configuration.onStop = .keep
                configuration.devices = configuration.devices.filter { names.contains($0.alias ?? "") }
                for index in configuration.devices.indices { configuration.devices[index].mode = .hold }
            }
            try await first.keep(for: 60)
            #expect(world.connected(for: .zero).count == 2)
            let strap = try #require(first.status("Heart Strap")).address
            let program = try await bench.connect()
            if isUsed {
                let objects = try await program.object(Bluez.service, at: .root)
                    .call(ObjectManager.getManagedObjects, within: .seconds(1)).objects
                let value = objects.keys.sorted().first {
                    BluetoothAddress(device: $0) == strap
                        && objects[$0]?[GattCharacteristic1.name.text]?[GattCharacteristic1.notifying] == false
                }
                _ = try await program.object(Bluez.service, at: #require(value))
                    .call(GattCharacteristic1.startNotify, within: .seconds(1))
            }
            let second = try await Workshop(bench, world, allowing: [], after: first) { configuration in
                configuration.devices = configuration.devices.filter { $0.alias == "Freezer" }
                configuration.devices[0].mode = .hold
            }
            try await second.keep(for: 120) { workshop in
                try await workshop.at(110)
                #expect(world.connected(for: .zero).count == (isUsed ? 2 : 1))
            }
            let lines = second.log.filter { $0.contains("isn't configured any more") }
            #expect(lines.count == (isUsed ? 0 : 1), "\(second.log)")
        }
    }
}
