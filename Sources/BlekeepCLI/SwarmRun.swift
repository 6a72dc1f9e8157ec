import BlekeepSimulation
import Synchronization

/// Runs many seeds of the swarm, two at a time, and tells what broke.
struct SwarmRun: Sendable {
    let seeds: ClosedRange<UInt64>

    /// - Returns: whether every invariant held.
    func run() async throws -> Bool {
        let clock = ContinuousClock()
        let start = clock.now
        var hours = 0.0
        var readings: Int64 = 0
        var broken: [Swarm.Outcome] = []
        try await withThrowingTaskGroup(of: Swarm.Outcome.self) { group in
            var next = seeds.makeIterator()
            for _ in 0..<2 { if let seed = next.next() { group.addTask { try await Swarm.run(seed: seed) } } }
            while let outcome = try await group.next() {
                hours += outcome.deviceHours
                readings += outcome.readings
                if !outcome.violations.isEmpty { broken.append(outcome) }
                if let seed = next.next() { group.addTask { try await Swarm.run(seed: seed) } }
            }
        }
        let seconds = (clock.now - start) / .seconds(1)
        print(
            "\(seeds.count) seeds, \(Int(hours)) device-hours, \(readings) readings in \(Int(seconds)) s:",
            "\(Int(hours / seconds * 60)) device-hours a minute, \(broken.count) seeds broken")
        for outcome in broken.sorted(by: { $0.seed < $1.seed }).prefix(5) { try await tell(outcome) }
        return broken.isEmpty
    }

    private func tell(_ outcome: Swarm.Outcome) async throws {
        let short = try await Swarm.shorten(outcome)
        print("seed \(outcome.seed), trace \(String(outcome.trace, radix: 16)):")
        for violation in short.violations.prefix(3) { print("  \(violation)") }
        print("  with \(short.faults.count) faults:")
        for fault in short.faults.prefix(20) { print("    \(fault)") }
    }
}
