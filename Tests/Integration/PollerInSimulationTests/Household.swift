import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import Logging
import RunLoop
import Swarming

/// A store in memory, for tests.
final class MemoryStore: Store, @unchecked Sendable {
    private(set) var readings: [StoredReading] = []
    private(set) var durableAppends = 0
    private(set) var heartbeats: [Heartbeat] = []
    /// How many readings there were when each heartbeat was kept.
    private(set) var readingsByHeartbeat: [Int] = []
    private let before: Heartbeat?

    /// - Parameter before: the state that an earlier run left.
    init(before: Heartbeat? = nil) {
        self.before = before
    }

    func append(_ new: [Reading], _ heartbeat: Heartbeat, durable: Bool) throws -> [StoredReading] {
        heartbeats.append(heartbeat)
        defer { readingsByHeartbeat.append(readings.count) }
        return try append(new, durable: durable)
    }

    func lastHeartbeat() throws -> Heartbeat? { heartbeats.last ?? before }

    func append(_ new: [Reading], durable: Bool) throws -> [StoredReading] {
        if durable { durableAppends += 1 }
        let first = Int64(readings.count)
        let stored = new.enumerated().map { StoredReading(sequence: first + Int64($0.offset) + 1, reading: $0.element) }
        readings += stored
        return stored
    }
}

/// A whole poller on a bench, with a simulated world beside it.
final class Household: @unchecked Sendable {
    let bench: Bench
    let world: World
    let store: MemoryStore
    /// The error of the time of day, in milliseconds.
    var skew: Int64 = 0
    var supply = SupplyFacts(state: .unknown)
    /// The settings of the machine's wake-up timer.
    private(set) var alarms: [Duration?] = []
    /// What the log said.
    private(set) var warnings: [String] = []
    /// Whether a user in another process is watching.
    var isWatched = false
    /// The poller's connections to the bus, the newest last.
    private(set) var connections: [any Bus] = []
    private(set) var poller: Poller!

    init(
        _ bench: Bench, _ world: World, interval: Duration = .seconds(30), count: Int? = nil,
        before: Heartbeat? = nil, change: (inout PollConfiguration) -> Void = { _ in }
    ) {
        self.bench = bench
        self.world = world
        store = MemoryStore(before: before)
        var configuration = PollConfiguration(
            interval: interval,
            devices: world.scenario.peripherals.map { DeviceConfiguration(alias: $0.name, address: $0.address) })
        change(&configuration)
        let loop = bench.loop
        let log = Logger(label: "test") { [unowned self] _ in LogTap(level: .warning) { self.warnings.append($0) } }
        poller = Poller(
            configuration, count: count, on: loop, store: store, sinks: [], log: log,
            wallTime: { [unowned self] in self.time }, clocks: { [unowned self] in self.clocks },
            supply: { [unowned self] in self.supply },
            isWatched: { [unowned self] in self.isWatched }, wake: { [unowned self] in self.alarms.append($0) }
        ) { [unowned self] () async throws(BusError) in
            let bus = try await bench.connect()
            self.connections.append(bus)
            return bus
        }
    }

    private var time: Int64 { bench.loop.now.nanoseconds / 1_000_000 &+ skew }

    /// The machine was started an hour before the world.
    var clocks: ClockReading {
        let sinceBoot = bench.loop.now.sinceStart + .seconds(3600)
        return ClockReading(
            boot: "this", sinceBoot: sinceBoot, awake: sinceBoot - bench.loop.timeAsleep, time: time)
    }

    /// Polls for this long, while `script` changes the world.
    func keep(
        for length: Duration, _ script: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> PollerReport {
        let loop = bench.loop
        let end = loop.now + length
        return try await withThrowingTaskGroup(of: PollerReport?.self) { group in
            group.addTask { await self.poller.run() }
            group.addTask {
                try await script()
                try await loop.sleep(until: end)
                self.poller.stop()
                return nil
            }
            var report: PollerReport?
            for try await result in group { report = result ?? report }
            guard let report else { throw CancellationError() }
            return report
        }
    }

    /// Keeps until `body` returns.
    func keepUntilDone<Result: Sendable>(
        _ body: @escaping @Sendable (RunLoop) async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                _ = await self.poller.run()
                return nil
            }
            defer { poller.stop() }
            return try await body(bench.loop)
        }
    }

    /// Waits until this many values of a device have come.
    func values(of device: String, _ characteristic: UInt16, _ count: Int) async throws {
        while moments(of: device, characteristic).count < count {
            try await bench.loop.sleep(until: bench.loop.now + .milliseconds(20))
        }
    }

    func failures(of device: String) -> [ReadingFailure] {
        store.readings.filter { $0.reading.device == device }.compactMap {
            if case .failure(let failure, _) = $0.reading.outcome { failure } else { nil }
        }
    }

    /// The seconds at which good values of a device came, by tick.
    func moments(of device: String, _ characteristic: UInt16? = nil) -> [Double] {
        store.readings.map(\.reading).filter { reading in
            guard case .value = reading.outcome else { return false }
            return reading.device == device
                && (characteristic == nil || reading.characteristic == characteristic.map { BluetoothUUID($0) })
        }.map { Double($0.time) / 1000 }
    }

    var failures: [ReadingFailure] {
        store.readings.compactMap { if case .failure(let failure, _) = $0.reading.outcome { failure } else { nil } }
    }
}
