import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import Logging
import RunLoop

/// Floods of unknown devices or calls, which must not fill the memory.
package struct Flood: Sendable {
    package struct Outcome: Sendable {
        package var text: String
        package var isGood: Bool
        /// The growth of memory in bytes. It is meaningful only when nothing else runs in the process.
        package var growth: Int
    }

    package var name: String
    package var run: @Sendable (_ addresses: Int) async throws -> Outcome

    /// The most bytes by which memory may grow.
    package static let most = 8 << 20
    private static let pace = 1000
    /// The most devices that a scan may keep: the house's, and recent unknown ones.
    private static let maxRemembered = 600

    package static let all = [
        Flood(name: "flood-scan") { try await scan($0) }, Flood(name: "flood-poller") { try await keep($0) }, calls,
    ]

    /// Runs a scan that hears all devices.
    private static func scan(_ addresses: Int) async throws -> Outcome {
        try await Bench.run(.virtual, .house) { bench, world in
            let loop = bench.loop
            let central = try await Central.open(nil, on: loop) { () async throws(BusError) in try await bench.connect()
            }
            let heard = ActivityCounter()
            let (growth, remembered) = try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for try await _ in central.scan(for: .seconds(3600)) { heard.count += 1 } }
                try await loop.sleep(until: loop.now + .seconds(5))
                let growth = try await flood(addresses, world, loop)
                let remembered = await central.knownDevices.count
                central.close()
                try await group.waitForAll()
                return (growth, remembered)
            }
            let isGood = heard.count >= addresses && remembered <= maxRemembered
            return Outcome(
                text: "\(addresses) addresses, \(heard.count) heard, \(remembered) remembered, +\(growth / 1024) KiB",
                isGood: isGood, growth: growth)
        }
    }

    /// Runs a poller that polls none of them.
    private static func keep(_ addresses: Int) async throws -> Outcome {
        try await Bench.run(.virtual, .house) { bench, world in
            let loop = bench.loop
            let store = CountingStore(loop)
            let poller = poller(of: world, on: loop, store) { () async throws(BusError) in try await bench.connect() }
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = await poller.run() }
                try await loop.sleep(until: loop.now + .seconds(30))
                let growth = try await flood(addresses, world, loop)
                poller.stop()
                try await group.waitForAll()
                let late = Int(store.latest * 1000)
                return Outcome(
                    text: "\(addresses) addresses, ticks late by \(late) ms at most, \(store.failures) failed reads, "
                        + "+\(growth / 1024) KiB", isGood: late <= 1000 && store.failures == 0, growth: growth)
            }
        }
    }

    /// Returns a poller of all devices of a world.
    static func poller(
        of world: World, on loop: RunLoop, _ store: CountingStore,
        connect: @escaping @Sendable () async throws(BusError) -> any Bus
    ) -> Poller {
        let configuration = PollConfiguration(
            interval: .seconds(10),
            devices: world.scenario.peripherals.map { DeviceConfiguration(alias: $0.name, address: $0.address) })
        return Poller(
            configuration, on: loop, store: store, sinks: [],
            log: Logger(label: "flood") { _ in SwiftLogNoOpLogHandler() },
            wallTime: { loop.now.nanoseconds / 1_000_000 }, supply: { SupplyFacts(state: .unknown) }, connect: connect)
    }

    /// - Returns: the growth of memory in bytes.
    private static func flood(_ addresses: Int, _ world: World, _ loop: RunLoop) async throws -> Int {
        // First grow the loop's own buffers, which don't count.
        world.reportUnknownDevices(0..<min(pace, addresses))
        try await loop.sleep(until: loop.now + .seconds(1))
        let before = Meter.resident()
        for start in stride(from: 0, to: addresses, by: pace) {
            world.reportUnknownDevices(start..<min(addresses, start + pace))
            try await loop.sleep(until: loop.now + .seconds(1))
        }
        return Meter.resident() - before
    }
}

private final class ActivityCounter: @unchecked Sendable {
    var count = 0
}

/// A store that keeps only the delay of readings after their ticks, which are 10 s apart.
final class CountingStore: Store, @unchecked Sendable {
    private(set) var failures = 0
    private(set) var latest = 0.0
    private let loop: RunLoop
    private var sequence: Int64 = 0

    init(_ loop: RunLoop) { self.loop = loop }

    func append(_ readings: [Reading], durable: Bool) throws -> [StoredReading] {
        readings.map { reading in
            if case .failure = reading.outcome { failures += 1 }
            // The first tick waits for connections, and notifications have no tick.
            if reading.tick > 1 { latest = max(latest, Double(reading.time % 10_000) / 1000) }
            sequence += 1
            return StoredReading(sequence: sequence, reading: reading)
        }
    }
}
