import Blekeep
import BlekeepSimulation
import BusBench
import RunLoop
import Testing

@testable import BlekeepPoller

/// Pollers of devices that send more than anybody wants to keep.
@Suite struct ThrottleStoryTests {
    private static let temperature = BluetoothUUID(0x2A6E)

    /// Returns a scenario with a quiet device, and one with `count` temperatures that it sends every `period`. Each value is
    /// the time in tenths of a second.
    private static func scenario(_ count: Int, every period: Duration) throws -> Scenario {
        let address = try #require(BluetoothAddress("F0:00:00:00:00:66"))
        let other = try #require(BluetoothAddress("F0:00:00:00:00:67"))
        let characteristics = (0..<count).map { _ in
            SimulatedCharacteristic(temperature, [.notify], every: period) { time in
                let tenths = UInt16(truncatingIfNeeded: time.wholeMilliseconds / 100)
                return [UInt8(truncatingIfNeeded: tenths), UInt8(truncatingIfNeeded: tenths >> 8)]
            }
        }
        return Scenario(
            "chatty", "one that never stops",
            peripherals: [
                SimulatedPeripheral(
                    "Chatty", address, services: [SimulatedService(BluetoothUUID(0x181A), characteristics)]),
                SimulatedPeripheral(
                    "Quiet", other,
                    services: [
                        SimulatedService(
                            BluetoothUUID(0x180F), [SimulatedCharacteristic(BluetoothUUID(0x2A19), constant: [80])])
                    ]),
            ])
    }

    /// When each characteristic's values came that were stored, in milliseconds.
    private static func times(_ home: Household) -> [Int: [Int64]] {
        let readings = home.store.readings.map(\.reading).filter {
            if case .value = $0.outcome { $0.tick == 0 } else { false }
        }
        return Dictionary(grouping: readings, by: \.instance).mapValues { $0.map(\.time) }
    }

    /// 1,000 notifications a second from 50 characteristics.
    @Test func oneValueASecondOfEachCharacteristicIsStoredOfAFlood() async throws {
        try await Bench.run(.virtual, try Self.scenario(50, every: .milliseconds(50))) { bench, world in
            let home = Household(bench, world)
            _ = try await home.keep(for: .seconds(60))
            let counts = try #require(home.poller.status.devices.first?.dropped)
            #expect(counts.total > 40_000)
            #expect(home.moments(of: "Quiet", 0x2A19).map { Int($0) / 30 } == [0, 1])
            let times = Self.times(home)
            #expect(times.count == 50)
            for (instance, times) in times {
                let first = try #require(times.first)
                let length = 60_000 - first
                // One at once, one for each second, and the newest at the end.
                #expect(times.count <= length / 1000 + 2, "\(instance)")
                #expect(times.count >= length / 1000, "\(instance)")
                #expect((times.last ?? 0) > 59_900, "\(instance)")
            }
            #expect(counts.total - counts.count == times.values.map(\.count).reduce(0, +))
        }
    }

    @Test func theNewestValueIsStoredWhenTheLinkGoes() async throws {
        try await Bench.run(.virtual, try Self.scenario(1, every: .milliseconds(100))) { bench, world in
            let home = Household(bench, world) { $0.devices[0].throttle = .seconds(3600) }
            _ = try await home.keep(for: .seconds(100)) {
                try await bench.loop.sleep(until: .start + .seconds(50))
                #expect(Self.times(home)[1]?.count == 1)
                world.hide("Chatty")
                world.drop("Chatty")
                try await bench.loop.sleep(until: .start + .seconds(70))
                let times = try #require(Self.times(home)[1])
                #expect(times.count == 2)
                #expect((49_000...51_000).contains(times.last ?? 0))
            }
            #expect(Self.times(home)[1]?.count == 2)
        }
    }

    /// A tag measures every 10 s, and is throttled to a value an hour.
    @Test func theNewestValueIsStoredBeforeTheMachineSleeps() async throws {
        let laptop = try await Laptop.run(for: .seconds(100), scenario: .beacons) { configuration in
            configuration.devices = configuration.devices.filter { $0.alias == "Attic" }
            configuration.devices[0].mode = .passive
            configuration.throttle = .seconds(3600)
            configuration.scan = .active
        } _: { laptop in
            try await laptop.at(45)
            #expect(Set(laptop.home.store.readings.map(\.reading.time)).count == 1)
            try await laptop.login.suspend(for: .seconds(10))
            #expect(Set(laptop.home.store.readings.map { $0.reading.time / 10_000 }) == [0, 4])
        }
        #expect(laptop.login.delays.allSatisfy { !$0.isOverrun })
    }

    @Test func aThrottleOfACharacteristicComesBeforeThatOfItsDevice() async throws {
        try await Bench.run(.virtual, try Self.scenario(1, every: .milliseconds(500))) { bench, world in
            let home = Household(bench, world) { configuration in
                var point = CharacteristicConfiguration(characteristic: Self.temperature)
                point.throttle = .zero
                configuration.throttle = .seconds(30)
                configuration.devices[0].throttle = .seconds(10)
                configuration.devices[0].characteristics = [point]
            }
            _ = try await home.keep(for: .seconds(60))
            #expect((Self.times(home)[1]?.count ?? 0) > 100)
            #expect(home.poller.status.devices[0].dropped.count == 0)
        }
    }

    /// The simulated strap sends its heart rate once a second.
    @Test func nothingIsLostOfASignalOnceASecond() async throws {
        try await Bench.run(.virtual, .house) { bench, world in
            let home = Household(bench, world)
            _ = try await home.keep(for: .seconds(600))
            let strap = try #require(home.poller.status.devices.first { $0.name == "Heart Strap" })
            #expect(strap.dropped.total > 500 && strap.dropped.count == 0)
        }
    }

    /// A tag that sends ten measurements a second, as a forged tag might.
    @Test func advertisementsAreThrottledToo() async throws {
        let address = try #require(BluetoothAddress("F0:00:00:00:00:66"))
        let tag = SimulatedPeripheral(
            "Tag", address, advertised: [], advertisingInterval: .milliseconds(100), acquaintance: .none, services: []
        ).broadcasting { time in
            let number = UInt8(truncatingIfNeeded: time.wholeMilliseconds / 100)
            return SimulatedBroadcast(serviceData: [BTHome.service: [0x40, 0x00, number, 0x01, number % 100]])
        }
        var scenario = Scenario("tag", "a quick one", peripherals: [tag])
        scenario.timing.leastBetweenSignals = .milliseconds(100)
        try await Bench.run(.virtual, scenario) { bench, world in
            let home = Household(bench, world) { configuration in
                configuration.scan = .active
                configuration.devices[0].mode = .passive
            }
            _ = try await home.keep(for: .seconds(60))
            let counts = try #require(home.poller.status.devices.first?.dropped)
            #expect(counts.count > 400)
            let stored = home.store.readings.filter { $0.reading.tick == 0 }
            #expect(stored.count == counts.total - counts.count)
            let byField = Dictionary(grouping: stored) { stored in
                if case .value(let measurement, _) = stored.reading.outcome { measurement.field } else { "" }
            }
            for (field, readings) in byField { #expect(readings.count <= 61 && readings.count > 30, "\(field)") }
        }
    }
}
