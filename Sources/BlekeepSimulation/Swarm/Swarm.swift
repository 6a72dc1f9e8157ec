import Blekeep
import DBus
import Logging
import RunLoop

/// Hunts for what the keeper does wrong: the shipped keeper in a world where much goes wrong by chance, but by the
/// same chance whenever the seed is the same. First faults (it must do no wrong), then none (it must recover).
package enum Swarm {
    package struct Outcome: Sendable {
        package var seed: UInt64
        package var violations: [Violation]
        /// The same in every run of the seed.
        package var trace: UInt64
        package var readings: Int64
        package var deviceHours: Double
        /// The fewest faults found that still break the first invariant; all of them, if nothing was shortened.
        package var faults: [String]
    }

    static let healing: Duration = .seconds(20 * 60)
    static let devices = 10

    /// Runs a seed.
    ///
    /// - Parameter faulty: how long things go wrong; they are well again for 20 minutes after that.
    package static func run(seed: UInt64, faulty: Duration = .seconds(5 * 3600)) async throws -> Outcome {
        try await run(seed: seed, SwarmFault.schedule(seed: seed, devices: devices, length: faulty), faulty)
    }

    /// Runs a seed again and again with fewer faults, as long as the same invariant breaks; at most 60 times.
    package static func shorten(
        _ outcome: Outcome, faulty: Duration = .seconds(5 * 3600)
    ) async throws -> Outcome {
        guard let invariant = outcome.violations.first?.invariant else { return outcome }
        var faults = SwarmFault.schedule(seed: outcome.seed, devices: devices, length: faulty)
        var best = outcome
        var step = max(1, faults.count / 2)
        var runs = 0
        while runs < 60 {
            var removed = false
            for start in stride(from: 0, to: faults.count, by: step) where runs < 60 {
                let fewer = Array(faults[..<start] + faults[min(start + step, faults.count)...])
                runs += 1
                let tried = try await run(seed: outcome.seed, fewer, faulty)
                guard tried.violations.contains(where: { $0.invariant == invariant }) else { continue }
                faults = fewer
                best = tried
                removed = true
                break
            }
            if !removed, step == 1 { break }
            if !removed { step = max(1, step / 2) }
        }
        return best
    }

    private static func run(seed: UInt64, _ faults: [SwarmFault], _ faulty: Duration) async throws -> Outcome {
        let seen = try await Bench.run(.virtual, scenario(seed), seed: seed) { bench, world in
            let witness = Witness(bench.loop) { [unowned world] path in world.reality(of: path) }
            let script = SwarmScript(bench, world, stranger: try await bench.connect())
            let keeper = makeKeeper(bench, world, witness)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = await keeper.run() }
                try? await script.play(faults)
                try? await bench.loop.sleep(until: .start + faulty)
                script.heal()
                try? await bench.loop.sleep(until: .start + faulty + healing)
                keeper.stop()
                await group.waitForAll()
            }
            for peripheral in world.scenario.peripherals
            where witness.lastGood[peripheral.address, default: .zero] < faulty + healing - recovery {
                witness.violate(.recover, "\(peripheral.name) was not read again")
            }
            return (witness.violations, witness.trace, witness.readings)
        }
        return Outcome(
            seed: seed, violations: seen.0, trace: seen.1, readings: seen.2,
            deviceHours: Double(devices) * Double((faulty + healing).components.seconds) / 3600,
            faults: faults.map(\.description))
    }

    /// A reading must not be older than this when all has been well for `healing`.
    private static let recovery: Duration = .seconds(120)

    private static func scenario(_ seed: UInt64) -> Scenario {
        Scenario(
            "swarm", "ten sensors, half of them known",
            peripherals: (1...devices).map { number in
                let address = Scenario.numbered(number, 9)
                let sensor =
                    number == 1
                    ? SimulatedPeripheral.heartRateStrap("Heart", address)
                    : .environmentalSensor("Sensor \(number)", address, temperature: 100 * number...100 * number + 50)
                return (UInt64(number) &+ seed).isMultiple(of: 2) ? sensor : sensor.known(.none)
            })
    }

    private static func makeKeeper(_ bench: Bench, _ world: World, _ witness: Witness) -> Keeper {
        let loop = bench.loop
        let configuration = Configuration(
            interval: .seconds(30),
            devices: world.scenario.peripherals.map { DeviceConfiguration(alias: $0.name, address: $0.address) })
        return Keeper(
            configuration, on: loop, store: witness, sinks: [],
            log: Logger(label: "swarm") { _ in SwiftLogNoOpLogHandler() },
            wallTime: { loop.now.nanoseconds / 1_000_000 }
        ) { () async throws(BusError) in WitnessBus(try await bench.connect(), witness) }
    }
}
