import BusBench
import DBus

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

    /// Runs `body` with a simulated world for each scenario, which share their peripherals. Each has a bus of its own.
    ///
    /// - Parameter body: gets the benches with these buses, and the worlds, in the order of the scenarios.
    package static func run<Success: Sendable>(
        _ kind: Kind, gateways scenarios: [Scenario], seed: UInt64 = 1,
        _ body: @escaping @Sendable (_ benches: [Bench], _ worlds: [World]) async throws -> Success
    ) async throws -> Success {
        try await run(kind) { bench in
            let benches = try [bench] + scenarios.dropFirst().map { _ in try bench.another() }
            let worlds = World.neighbors(scenarios, seed: seed) { (index) async throws(BusError) -> any Bus in
                try await benches[index].connect()
            }
            return try await World.mounted(worlds[...]) { try await body(benches, worlds) }
        }
    }

    /// Returns a world on this bus, which isn't started yet.
    package func world(_ scenario: Scenario, seed: UInt64 = 1) -> World {
        World(scenario: scenario, seed: seed) { () async throws(BusError) -> any Bus in try await self.connect() }
    }
}

extension World {
    /// Serves a scenario on a private bus while `body` runs. `body` gets the world and the address of the bus. To test a
    /// program with it, set `DBUS_SYSTEM_BUS_ADDRESS` to that address.
    ///
    /// `body` runs on the world's run loop, so that it may call the world's faults.
    ///
    /// - Throws: the error of `body`, or `PrivateBusError` when dbus-daemon doesn't start.
    public static func serve<Success: Sendable>(
        _ scenario: Scenario, seed: UInt64 = 1,
        body: @escaping @Sendable (_ world: World, _ address: String) async throws -> Success
    ) async throws -> Success {
        try await Bench.run(.daemon, scenario, seed: seed) { bench, world in
            try await body(world, bench.address ?? "")
        }
    }

    /// Serves several gateways of one house while `body` runs, each on a private bus of its own. The gateways hear the same
    /// peripherals. `Scenario.gateways` returns the scenarios.
    ///
    /// `body` gets the worlds and the addresses of their buses, in the order of the scenarios. It runs on the run loop of all
    /// worlds, so that it may call their faults.
    ///
    /// - Throws: the error of `body`, or `PrivateBusError` when dbus-daemon doesn't start.
    public static func serve<Success: Sendable>(
        gateways scenarios: [Scenario], seed: UInt64 = 1,
        body: @escaping @Sendable (_ worlds: [World], _ addresses: [String]) async throws -> Success
    ) async throws -> Success {
        try await Bench.run(.daemon, gateways: scenarios, seed: seed) { benches, worlds in
            try await body(worlds, benches.map { $0.address ?? "" })
        }
    }
}
