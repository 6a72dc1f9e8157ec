import Blekeep
import BlekeepSimulation
import BusBench
import RunLoop

/// Runs the shipped poller with random faults, which depend only on the seed. During the faults, the poller must do no
/// harm. After them, it must recover.
package enum Swarm {
    package struct Outcome: Sendable {
        package var seed: UInt64
        package var violations: [Violation]
        /// It is the same in every run of the seed.
        package var digest: Digest
        package var readings: Int64
        /// The repairs of BlueZ and its adapters.
        package var repairs: Int
        package var deviceHours: Double
        /// The smallest found set of faults that breaks the first invariant; all faults without `shorten`.
        package var faults: [String]
    }

    /// Runs a seed.
    ///
    /// - Parameters:
    ///   - faulty: the length of the time with faults. 23 minutes without faults follow.
    ///   - onEvent: called with every event and its time: faults, calls, signals, log lines, what is stored and published.
    package static func run(
        seed: UInt64, faulty: Duration = .seconds(5 * 3600), onEvent: (@Sendable (Duration, String) -> Void)? = nil
    ) async throws -> Outcome {
        try await run(
            seed: seed, SwarmFault.schedule(seed: seed, devices: SwarmSetting.devices, length: faulty), faulty, onEvent)
    }

    /// Runs a seed repeatedly with fewer faults while the same invariant breaks, at most 60 times.
    package static func shorten(
        _ outcome: Outcome, faulty: Duration = .seconds(5 * 3600)
    ) async throws -> Outcome {
        guard let invariant = outcome.violations.first?.invariant else { return outcome }
        var faults = SwarmFault.schedule(seed: outcome.seed, devices: SwarmSetting.devices, length: faulty)
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

    static func run(
        seed: UInt64, _ faults: [SwarmFault], _ faulty: Duration,
        _ onEvent: (@Sendable (Duration, String) -> Void)? = nil
    ) async throws -> Outcome {
        let setting = SwarmSetting(seed: seed)
        let seen = try await Bench.run(.virtual, setting.scenario, seed: seed) { bench, world in
            world.tellsReasons = setting.tellsReasons
            let life = try await SwarmLife(setting, bench, world, seed: seed)
            life.witness.onEvent = onEvent
            try await life.live(faults, until: .start + faulty)
            return (
                life.witness.violations, life.witness.digest, life.witness.kept.readings, bench.loop.now,
                life.witness.repairs
            )
        }
        return Outcome(
            seed: seed, violations: seen.0, digest: seen.1, readings: seen.2, repairs: seen.4,
            deviceHours: Double(SwarmSetting.devices) * (seen.3.sinceStart / .seconds(3600)),
            faults: faults.map(\.description))
    }
}
