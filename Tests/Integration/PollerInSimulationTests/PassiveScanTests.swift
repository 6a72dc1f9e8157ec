import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import RunLoop
import Testing

/// Passive scans: blekeep's advertisement monitors at the simulated bluetoothd.
@Suite struct PassiveScanTests {
    private static let offering: Scenario = {
        var scenario = Scenario.fresh
        scenario.adapters[0].offersMonitors = true
        return scenario
    }()

    private func run(
        _ scenario: Scenario, _ body: @escaping @Sendable (Central, World, Bench) async throws -> Void
    ) async throws {
        try await Bench.run(.virtual, scenario) { bench, world in
            let central = try await Central.open(nil, on: bench.loop) { () async throws(BusError) in
                try await bench.connect()
            }
            try await body(central, world, bench)
            central.close()
        }
    }

    @Test func hearsWithoutDiscovery() async throws {
        try await run(Self.offering) { central, _, bench in
            var seen: Set<BluetoothAddress> = []
            var wasDiscovering = false
            for try await heard in central.scan(for: .seconds(10), passive: true) {
                seen.insert(heard.address)
                wasDiscovering = await central.adapters.contains(where: \.isDiscovering) || wasDiscovering
            }
            #expect(seen.count == 5)
            #expect(!wasDiscovering)
            // Once more: nothing of the first is left.
            var again = 0
            for try await _ in central.scan(for: .seconds(5), passive: true) { again += 1 }
            #expect(again > 5)
        }
    }

    @Test func tellsWhereItIsNotOffered() async throws {
        try await run(.house) { central, _, _ in
            var count = 0
            let error = await #expect(throws: BluetoothError.self) {
                for try await heard in central.scan(for: .seconds(10), passive: true) where heard.rssi != nil {
                    count += 1
                }
            }
            #expect(count == 0)
            #expect(error?.code == .unsupported)
        }
    }

    @Test func aScanAfterARestartOfBluetoothdIsANewOne() async throws {
        try await run(Self.offering) { central, world, bench in
            var count = 0
            let error = await #expect(throws: BluetoothError.self) {
                for try await _ in central.scan(for: .seconds(20), passive: true) {
                    count += 1
                    if count == 3 { world.restartBluez(after: .seconds(1)) }
                }
            }
            #expect(error?.code == .noBluez)
            #expect(count >= 3)
            try await bench.loop.sleep(until: bench.loop.now + .seconds(5))
            var again = 0
            for try await _ in central.scan(for: .seconds(5), passive: true) { again += 1 }
            #expect(again > 3)
        }
    }

    /// bluetoothd damages its memory with more than 7 patterns. Only bluetoothd may call monitors.
    @Test func eachMonitorHasFewPatternsAndRefusesOtherCallers() async throws {
        try await Bench.run(.virtual, Self.offering) { bench, _ in
            let bus = try await bench.connect()
            let central = try await Central.open(nil, on: bench.loop) { () async throws(BusError) in bus }
            for try await _ in central.scan(for: .seconds(10), passive: true) {
                let stranger = try await bench.connect()
                let objects = try await stranger.object(bus.name, at: "/org/blekeep/monitor/1").call(
                    ObjectManager.getManagedObjects, within: .seconds(1))
                let monitors = objects.objects.compactMapValues { $0[AdvertisementMonitor1.name.text] }
                #expect((8...32).contains(monitors.count))
                for (path, properties) in monitors {
                    let patterns = properties["Patterns"].flatMap { [AdvertisementPattern]($0.content) }
                    #expect(patterns.map { (1...7).contains($0.count) } == true)
                    await #expect(throws: BusError.self) {
                        _ = try await stranger.object(bus.name, at: path).call(
                            AdvertisementMonitor1.release, within: .seconds(1))
                    }
                }
                break
            }
            central.close()
        }
    }
}
