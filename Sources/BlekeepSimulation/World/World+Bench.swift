import BusBench
import DBus
import RunLoop

extension Bench {
    /// Runs `body` with a simulated world on the bus.
    package static func run<Success: Sendable>(
        _ kind: Kind, _ scenario: Scenario, seed: UInt64 = 1, limits: BusLimits = BusLimits(),
        _ body: @escaping @Sendable (Bench, World) async throws -> Success
    ) async throws -> Success {
        try await run(kind, limits: limits) { bench in
            let world = bench.world(scenario, seed: seed)
            return try await world.mounted { try await body(bench, world) }
        }
    }

    /// Returns a world that lives on this bus and has not started.
    package func world(_ scenario: Scenario, seed: UInt64 = 1) -> World {
        World(scenario: scenario, seed: seed) { () async throws(BusError) -> any Bus in try await self.connect() }
    }
}

extension World {
    /// Serves a scenario on a bus of its own for as long as `body` runs, and gives `body` the world and the address of
    /// the bus: for whatever is to be tested, set `DBUS_SYSTEM_BUS_ADDRESS` to it.
    ///
    /// `body` runs on the world's run loop, so that it may call the world's faults.
    /// - Throws: what `body` throws, or why dbus-daemon didn't start.
    public static func serve<Success: Sendable>(
        _ scenario: Scenario, seed: UInt64 = 1,
        _ body: @escaping @Sendable (_ world: World, _ address: String) async throws -> Success
    ) async throws -> Success {
        try await Bench.run(.daemon, scenario, seed: seed) { bench, world in
            try await body(world, bench.address ?? "")
        }
    }
}
