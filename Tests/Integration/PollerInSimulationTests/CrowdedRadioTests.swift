import Blekeep
import BlekeepSimulation
import BusBench
import RunLoop
import Testing

/// An adapter with more devices than it has time for.
@Suite struct CrowdedRadioTests {
    private static let devices = 20

    /// Twenty devices, each with a turn of a little more than 1.2 s.
    private func crowd(
        every interval: Duration = .seconds(20), for seconds: Double = TestLength.of(600, atNight: 1200),
        _ script: @escaping @Sendable (Workshop) async throws -> Void = { _ in }
    ) async throws -> Workshop {
        var scenario = Scenario.many
        scenario.timing.connecting = .milliseconds(1150)...(.milliseconds(1250))
        return try await Bench.run(.virtual, scenario) { bench, world in
            let workshop = try await Workshop(bench, world, allowing: [], interval: interval)
            try await workshop.keep(for: seconds, script)
            return workshop
        }
    }

    /// For each device, the times of the first values of its ticks.
    private func reads(in workshop: Workshop) -> [[Double]] {
        (1...Self.devices).map { number in
            var ticks: [Int: Double] = [:]
            for reading in workshop.store.readings.map(\.reading) where reading.device == "Sensor \(number)" {
                guard case .value = reading.outcome else { continue }
                ticks[reading.tick] = min(ticks[reading.tick] ?? .infinity, Double(reading.time) / 1000)
            }
            return Array(ticks.values)
        }
    }

    /// The user learns once what it would take.
    @Test func devicesAreReadEquallyOftenOverAnyTenTicks() async throws {
        let length = TestLength.of(800, atNight: 1200.0)
        let workshop = try await crowd(for: length)
        let reads = reads(in: workshop)
        for begin in stride(from: 0, through: length - 200, by: 20) {
            let counts = reads.map { $0.count { (begin..<begin + 200).contains($0) } }
            #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 1, "from \(begin): \(counts)")
        }
        let warnings = workshop.log.filter { $0.contains("need about") }
        #expect(warnings.count == 1, "\(warnings)")
        let warning = try #require(warnings.first)
        #expect(warning.contains("20 devices need about 2"), "\(warning)")
        #expect(warning.contains("of hci0 a round; the interval is 20s"), "\(warning)")
        // The devices aren't to blame.
        #expect(!workshop.log.contains { $0.contains("its turn didn't come") || $0.contains("lost") })
        guard case .tooManyDevices(let shortage)? = workshop.store.poller?.adapters.first?.trouble else {
            Issue.record("\(String(describing: workshop.store.poller?.adapters))")
            return
        }
        #expect(shortage.devices == Self.devices)
        #expect((.seconds(22) ... .seconds(30)).contains(shortage.need))
        #expect(shortage.interval == .seconds(20))
    }

    /// BlueZ removes a device that isn't connected for 30 s. The search for it takes time from the other devices.
    @Test func aDeviceThatWasOutOfRangeIsReadAgainSoon() async throws {
        let workshop = try await crowd(for: 450) {
            try await $0.at(100)
            $0.world.hide("Sensor 5")
            try await $0.at(300)
            $0.world.show("Sensor 5")
        }
        let again = try #require(reads(in: workshop)[4].filter { $0 > 300 }.min())
        #expect(again < 420, "read again at \(again) s")
    }

    @Test func saysNothingWhereTheTimeSuffices() async throws {
        let workshop = try await crowd(every: .seconds(40))
        #expect(!workshop.log.contains { $0.contains("need about") })
        #expect(reads(in: workshop).allSatisfy { $0.count >= 14 })
    }
}
