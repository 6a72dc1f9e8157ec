import Blekeep
import BlekeepSimulation
import DBus
import Logging
import RunLoop

/// A store in memory, for tests.
final class MemoryStore: Store, @unchecked Sendable {
    private(set) var readings: [StoredReading] = []
    private(set) var durableAppends = 0

    func append(_ new: [Reading], durable: Bool) throws -> [StoredReading] {
        if durable { durableAppends += 1 }
        let first = Int64(readings.count)
        let stored = new.enumerated().map { StoredReading(sequence: first + Int64($0.offset) + 1, reading: $0.element) }
        readings += stored
        return stored
    }
}

/// A whole keeper on a bench, with a simulated world beside it.
final class Household: @unchecked Sendable {
    let bench: Bench
    let world: World
    let store = MemoryStore()
    private(set) var keeper: Keeper!

    init(
        _ bench: Bench, _ world: World, interval: Duration = .seconds(30), count: Int? = nil,
        change: (inout Configuration) -> Void = { _ in }
    ) {
        self.bench = bench
        self.world = world
        var configuration = Configuration(
            interval: interval,
            devices: world.scenario.peripherals.map { DeviceConfiguration(alias: $0.name, address: $0.address) })
        change(&configuration)
        let loop = bench.loop
        var log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        log.logLevel = .critical
        keeper = Keeper(
            configuration, count: count, on: loop, store: store, sinks: [], log: log,
            wallTime: { loop.now.nanoseconds / 1_000_000 }, supply: { SupplyFacts(state: .unknown) }
        ) { () async throws(BusError) in try await bench.connect() }
    }

    /// Keeps for so long, while `script` does things to the world.
    func keep(
        for length: Duration, _ script: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> KeeperReport {
        let loop = bench.loop
        let end = loop.now + length
        return try await withThrowingTaskGroup(of: KeeperReport?.self) { group in
            group.addTask { await self.keeper.run() }
            group.addTask {
                try await script()
                try await loop.sleep(until: end)
                self.keeper.stop()
                return nil
            }
            var report: KeeperReport?
            for try await result in group { report = result ?? report }
            guard let report else { throw CancellationError() }
            return report
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
