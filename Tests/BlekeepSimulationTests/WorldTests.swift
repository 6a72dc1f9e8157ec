import BlekeepRecords
import BusBench
import DBus
import RunLoop
import Testing

@testable import BlekeepSimulation

/// A world on every kind of bus: the same code serves them all.
struct WorldTests {
    @Test(arguments: Bench.Kind.allCases)
    func connectsReadsAndDisconnects(_ kind: Bench.Kind) async throws {
        let value = try await Bench.run(kind, .house) { bench, _ in
            let client = try await Client.make(bench)
            let device = client.device("F0:00:00:00:00:02")
            try await client.open(device)
            let value = try await client.read(try await client.characteristic(0x2A6E, of: device))
            try await client.disconnect(device)
            return value
        }
        #expect(value.count == 2)
        #expect(Int16(truncatingIfNeeded: Int(value[0]) | Int(value[1]) << 8) < -1700)
    }

    @Test(arguments: Scenario.all.map(\.name))
    func everyScenarioCanBeMounted(_ name: String) async throws {
        let scenario = try #require(Scenario.named(name))
        let count = try await Bench.run(.virtual, scenario) { bench, _ in
            try await Client.make(bench).objects().values.count { $0[Adapter1.name.text] != nil }
        }
        #expect(count == scenario.adapters.count)
    }

    @Test func runEndsWithItsTask() async throws {
        try await Bench.run(.virtual) { bench in
            let world = bench.world(.house)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await world.run() }
                try await bench.loop.sleep(until: bench.loop.now + .seconds(1))
                #expect(world.isRunning)
                group.cancelAll()
                try await group.waitForAll()
                #expect(!world.isRunning)
            }
        }
    }

    @Test func twoWorldsCannotShareABus() async throws {
        try await Bench.run(.virtual, .house) { bench, _ in
            let second = bench.world(.many)
            let error = await failure { () throws(BusError) in try await second.start() }
            #expect(error == .unreachable("another program owns org.bluez on this bus"))
            #expect(!second.isRunning)
        }
    }

    @Test func usersServeAWorldOnABusOfItsOwn() async throws {
        let (address, isRunning) = try await World.serve(.house) { world, address in
            world.hide("Freezer")
            return (address, world.isRunning)
        }
        #expect(address.hasPrefix("unix:path=/"))
        #expect(isRunning)
    }
}
