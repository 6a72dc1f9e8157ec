import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import Logging
import RunLoop
import Swarming
import Testing

/// The whole poller on a machine with random faults of power and sleep, with its guarantees.
@Suite struct PowerSwarmTests {
    /// Records the times of syncs.
    private final class TimedStore: Store, @unchecked Sendable {
        let loop: RunLoop
        var commits: [PowerInvariants.Commit] = []
        var count: Int64 = 0
        var beats: [Heartbeat] = []

        init(_ loop: RunLoop) { self.loop = loop }

        func append(_ readings: [Reading], durable: Bool) throws -> [StoredReading] {
            commits.append(
                .init(
                    moment: loop.now, isDurable: durable,
                    accepted: readings.map { Uptime(nanoseconds: $0.time * 1_000_000) }))
            return readings.map {
                count += 1
                return StoredReading(sequence: count, reading: $0)
            }
        }

        func append(_ readings: [Reading], _ heartbeat: Heartbeat, durable: Bool) throws -> [StoredReading] {
            beats.append(heartbeat)
            return try append(readings, durable: durable)
        }
    }

    private struct Seen: Sendable {
        var violations: [String] = []
        var sleeps = 0
        var isRecovered = false
    }

    /// The modes that the poller's status showed, on the loop. Swift 6.2 lets no task share a variable.
    private final class Shown: @unchecked Sendable {
        var modes: [(moment: Uptime, mode: PowerMode)] = []
    }

    /// Nobody can report a change while the message bus is away.
    @Test func whatTheMachineNeedsIsInDoubtWithoutTheBus() async throws {
        try await Bench.run(.virtual, .house) { bench, _ in
            let loop = bench.loop
            let machine = SimulatedMachine(on: loop) { () async throws(BusError) in try await bench.connect() }
            try await machine.start()
            try await loop.sleep(until: .start + .seconds(10))
            bench.killBus()
            try await loop.sleep(until: .start + .seconds(20))
            machine.apply(.battery(10))
            func isDoubtful(_ second: Int) -> Bool {
                machine.doubts.contains { $0.from <= .start + .seconds(second) && .start + .seconds(second) <= $0.to }
            }
            #expect(!isDoubtful(9) && isDoubtful(11) && isDoubtful(1000))
            try bench.startBus()
            try await machine.revive()
            #expect(!isDoubtful(9) && isDoubtful(11) && isDoubtful(50) && !isDoubtful(60))
        }
    }

    private func run(seed: UInt64) async throws -> Seen {
        try await Bench.run(.virtual, .house, seed: seed) { bench, world in
            let loop = bench.loop
            let machine = SimulatedMachine(on: loop) { () async throws(BusError) in try await bench.connect() }
            try await machine.start()
            let store = TimedStore(loop)
            let configuration = PollConfiguration(
                devices: world.scenario.peripherals.map { DeviceConfiguration(alias: $0.name, address: $0.address) })
            let poller = Poller(
                configuration, on: loop, store: store, sinks: [],
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                wallTime: { loop.now.nanoseconds / 1_000_000 },
                clocks: {
                    ClockReading(
                        boot: "a", sinceBoot: loop.now.sinceStart, awake: loop.now.sinceStart - loop.timeAsleep,
                        time: loop.now.nanoseconds / 1_000_000)
                },
                supply: { SupplyFacts(state: .unknown) }
            ) { () async throws(BusError) in try await bench.connect() }
            let shown = Shown()
            nonisolated(unsafe) var end = Uptime.start
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await machine.run() }
                group.addTask { _ = await poller.run() }
                group.addTask {
                    while !Task.isCancelled {
                        try? await loop.sleep(until: loop.now + .seconds(1))
                        shown.modes.append((loop.now, poller.status.power.mode))
                    }
                }
                var random = SplitMix64(seed: seed)
                for _ in 0..<40 {
                    let pause = Duration.seconds(Int.random(in: 1...200, using: &random))
                    try? await loop.sleep(until: loop.now + pause)
                    let fault = PowerFault.allCases.randomElement(using: &random) ?? .suspend
                    machine.apply(fault, lasting: .seconds(Int.random(in: 1...120, using: &random)), using: &random)
                }
                machine.heal()
                // Work in progress ends, and so does the longest wait: for an announced sleep that never came.
                try? await loop.sleep(until: loop.now + .seconds(6000))
                end = loop.now
                poller.stop()
                try? await loop.sleep(until: loop.now + .seconds(3))
                group.cancelAll()
            }
            var seen = Seen(sleeps: machine.login.delays.count)
            let sleeps = machine.login.delays.filter { $0.locks > 0 }.map {
                ($0.begin, $0.begin + min($0.waited, .seconds(1)))
            }
            seen.violations += PowerInvariants.flush(sleeps, store.commits)
            seen.violations += PowerInvariants.syncs(store.commits, extra: 6 * 60)
            seen.violations += PowerInvariants.mode(shown.modes, machine.demands, doubts: machine.doubts)
            seen.violations += machine.login.delays.filter(\.isOverrun).map { "G8: a lock was held at \($0.begin)" }
            seen.isRecovered = store.commits.contains { $0.accepted.contains { $0 > end.advanced(by: .seconds(-40)) } }
            return seen
        }
    }

    @Test(arguments: TestLength.of([8], atNight: [1, 2, 3, 5, 8, 13] as [UInt64]))
    func promisesHold(seed: UInt64) async throws {
        let seen = try await run(seed: seed)
        #expect(seen.violations == [])
        #expect(seen.sleeps > 3)
        #expect(seen.isRecovered)
    }

    @Test func readsKeepToTheModesInterval() async throws {
        let laptop = try await Laptop.run(for: .seconds(8 * 3600)) { laptop in
            for (percentage, minutes) in [(90.0, 60), (15.0, 180), (4.0, 420)] {
                try await laptop.at(Double(minutes) * 60 - 3000)
                laptop.power.set(.battery(percentage))
            }
        }
        let intervals: [(Uptime, Duration?)] = [
            (.start, .seconds(30)), (.start + .seconds(600), .seconds(60)), (.start + .seconds(7800), .seconds(300)),
            (.start + .seconds(22_200), .seconds(900)),
        ]
        let reads = laptop.home.moments(of: "Living Room", 0x2A6E).map { Uptime.start + .milliseconds(Int($0 * 1000)) }
        #expect(PowerInvariants.sparse(reads, intervals) == [])
        #expect(reads.count > 150)
    }
}
