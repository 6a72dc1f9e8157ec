import Blekeep
import BlekeepSimulation
import BusBench
import RunLoop
import Testing

/// Causes that lengthen and shorten intervals, with a whole poller in virtual time.
@Suite struct IntervalTests {
    /// A door with a constant battery level.
    private func reads(_ laptop: Laptop) -> [Int] { laptop.home.moments(of: "Front Door", 0x2A19).map { Int($0) } }

    private static let adaptive: @Sendable (inout PollConfiguration) -> Void = { configuration in
        for index in configuration.devices.indices {
            configuration.devices[index].adaptive = .seconds(5) ... .seconds(86_400)
        }
    }

    @Test func nothingNewStretchesAndTheModesFloorHolds() async throws {
        let laptop = try await Laptop.run(for: .seconds(7200), change: Self.adaptive) { laptop in
            try await laptop.at(3600)
            laptop.power.set(.battery(15))
        }
        let before = reads(laptop).filter { $0 < 3600 }
        let gaps = zip(before, before.dropFirst()).map { $1 - $0 }
        #expect(gaps.max().map { 100...126 ~= $0 } == true)
        #expect(before.count < 3600 / 30 / 2)
        let after = reads(laptop).filter { $0 >= 3900 }
        #expect(zip(after, after.dropFirst()).allSatisfy { $1 - $0 >= 270 })
        // A changing value is read at its interval.
        #expect(laptop.reads.filter { $0 < 3600 }.count >= 118)
    }

    @Test func keepsTheIntervalWhileWatched() async throws {
        let laptop = try await Laptop.run(for: .seconds(4000), change: Self.adaptive) { laptop in
            try await laptop.at(1800)
            laptop.home.poller.attach()
            laptop.home.poller.attach()
            try await laptop.at(2400)
            laptop.home.poller.detach()
            try await laptop.at(2700)
            laptop.home.poller.detach()
        }
        let watched = reads(laptop).filter { 1800..<2700 ~= $0 }
        #expect((29...32).contains(watched.count))
        #expect(zip(watched, watched.dropFirst()).allSatisfy { $1 - $0 <= 31 })
        #expect(reads(laptop).filter { $0 >= 2700 }.count < 25)
    }

    @Test func noticesAViewerInAnotherProcessWithTheNextTick() async throws {
        let laptop = try await Laptop.run(for: .seconds(4000), change: Self.adaptive) { laptop in
            try await laptop.at(1800)
            laptop.home.isWatched = true
            try await laptop.at(2700)
            laptop.home.isWatched = false
        }
        let times = reads(laptop)
        #expect((27...32).contains(times.filter { 1800..<2700 ~= $0 }.count))
        #expect(times.filter { 900..<1800 ~= $0 }.count < 12)
        #expect(times.filter { 3000..<3900 ~= $0 }.count < 12)
    }

    @Test func keepsThePowerModesIntervalWhileWatched() async throws {
        let laptop = try await Laptop.run(for: .seconds(2000)) { laptop in
            laptop.home.poller.attach()
            try await laptop.at(1)
            laptop.power.set(.battery(15))
        }
        #expect(laptop.reads == [0, 300, 600, 900, 1200, 1500, 1800])
    }

    @Test func aTicksWorkEndsAfterThirtySecondsWhateverHappens() async throws {
        let home = try await Bench.run(.virtual, .fleet(devices: 1, chars: 9, latency: .milliseconds(8200))) {
            bench, world in
            let home = Household(bench, world, interval: .seconds(60))
            _ = try await home.keep(for: .seconds(59))
            return home
        }
        let moments = home.store.readings.map { Double($0.reading.time) / 1000 }
        #expect(home.moments(of: "Fleet 1").count == 3)
        #expect(home.failures.count >= 1)
        let first = try #require(moments.first)
        #expect(moments.allSatisfy { $0 - first <= 30.0 - 8.2 + 0.1 })
    }
}
