import Glibc
import Swarming

/// Runs many seeds of the swarm, two at a time, and reports violations.
struct SwarmRun: Sendable {
    let seeds: ClosedRange<UInt64>
    /// Whether to run every seed twice, and to compare the traces.
    let isTwice: Bool

    /// - Returns: whether every invariant held, and every seed did the same twice; and what each seed did.
    func run() async throws -> (isWell: Bool, digests: DigestFile) {
        var digests = DigestFile()
        let clock = ContinuousClock()
        let start = clock.now
        var hours = 0.0
        var readings: Int64 = 0
        var broken: [Swarm.Outcome] = []
        var unlike: [UInt64] = []
        try await withThrowingTaskGroup(of: (outcome: Swarm.Outcome, isAlike: Bool).self) { group in
            var next = seeds.makeIterator()
            for _ in 0..<2 { if let seed = next.next() { group.addTask { try await live(seed) } } }
            while let (outcome, isAlike) = try await group.next() {
                hours += outcome.deviceHours * (isTwice ? 2 : 1)
                readings += outcome.readings
                digests.add(outcome.digest, of: outcome.seed)
                if !outcome.violations.isEmpty { broken.append(outcome) }
                if !isAlike { unlike.append(outcome.seed) }
                if let seed = next.next() { group.addTask { try await live(seed) } }
            }
        }
        let seconds = (clock.now - start) / .seconds(1)
        print(
            "\(seeds.count) seeds, \(Int(hours)) device-hours, \(readings) readings in \(Int(seconds)) s:",
            "\(Int(hours / seconds * 60)) device-hours a minute, \(broken.count) seeds broken")
        if isTwice { print("\(seeds.count) seeds run twice, \(unlike.count) with another trace", unlike.sorted()) }
        broken.sort { $0.seed < $1.seed }
        for outcome in broken {
            guard let first = outcome.violations.first else { continue }
            print("seed \(outcome.seed), trace \(String(outcome.digest.trace, radix: 16)): \(first)")
        }
        // Shortening takes minutes.
        fflush(nil)
        for outcome in broken.prefix(3) { try await shorten(outcome) }
        return (broken.isEmpty && unlike.isEmpty, digests)
    }

    private func live(_ seed: UInt64) async throws -> (outcome: Swarm.Outcome, isAlike: Bool) {
        let outcome = try await Swarm.run(seed: seed)
        guard isTwice else { return (outcome, true) }
        return (outcome, try await Swarm.run(seed: seed).digest == outcome.digest)
    }

    private func shorten(_ outcome: Swarm.Outcome) async throws {
        let short = try await Swarm.shorten(outcome)
        print("seed \(outcome.seed) needs \(short.faults.count) faults for it:")
        for fault in short.faults.prefix(20) { print("  \(fault)") }
        for violation in short.violations.prefix(3) { print("  → \(violation)") }
    }
}

/// Runs many seeds of a fleet, two at a time, and reports violations.
struct FleetRun: Sendable {
    let seeds: ClosedRange<UInt64>
    let gateways: Int
    let byDatabase: Bool

    /// - Returns: whether every invariant held.
    func run() async throws -> Bool {
        let clock = ContinuousClock()
        let start = clock.now
        var (broken, reads, hours) = (0, 0, 0.0)
        try await withThrowingTaskGroup(of: FleetLife.Outcome.self) { group in
            var next = seeds.makeIterator()
            func begin() {
                guard let seed = next.next() else { return }
                group.addTask { [gateways, byDatabase] in
                    try await FleetLife.run(seed: seed, gateways: gateways, byDatabase: byDatabase)
                }
            }
            for _ in 0..<2 { begin() }
            while let outcome = try await group.next() {
                reads += outcome.reads
                hours += outcome.hours
                if !outcome.violations.isEmpty { broken += 1 }
                for violation in outcome.violations { print("seed \(outcome.seed): \(violation)") }
                begin()
            }
        }
        let seconds = Int((clock.now - start) / .seconds(1))
        print(
            "\(seeds.count) seeds of \(gateways) gateways, \(Int(hours)) hours, \(reads) reads in \(seconds) s:",
            "\(broken) seeds broken")
        return broken == 0
    }
}

/// Runs many seeds of a crowd of gateways, and reports violations.
struct CrowdRun: Sendable {
    let seeds: ClosedRange<UInt64>
    let size: FleetCrowd.Size

    /// - Returns: whether every invariant held.
    func run() throws -> Bool {
        let clock = ContinuousClock()
        var broken = 0
        for seed in seeds {
            let start = clock.now
            let outcome = try FleetCrowd.run(seed: seed, size)
            let seconds = Int((clock.now - start) / .seconds(1))
            let rate = Double(outcome.laterMoves) / outcome.sensorHours
            print(
                "seed \(seed): \(outcome.reads) reads, \(outcome.ticks) ticks, at most \(outcome.busiest) in a second,",
                "\(outcome.moves) moves (\(rate) an hour and sensor after the first), in \(seconds) s")
            if !outcome.violations.isEmpty { broken += 1 }
            for violation in outcome.violations.prefix(5) { print("  \(violation)") }
        }
        print("\(seeds.count) seeds of \(size.gateways) gateways: \(broken) seeds broken")
        return broken == 0
    }
}
