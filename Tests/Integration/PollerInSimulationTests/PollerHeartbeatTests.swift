import Blekeep
import BlekeepSimulation
import DBus
import RunLoop
import Testing

/// The heartbeat of a whole poller, in virtual time.
@Suite struct PollerHeartbeatTests {
    @Test func aHeartbeatGoesWithReadingsOnceAMinute() async throws {
        let laptop = try await Laptop.run(for: .seconds(3600)) { _ in }
        let store = laptop.home.store
        let beats = store.heartbeats
        #expect((58...63).contains(beats.count))
        for (beat, next) in zip(beats.dropFirst(), beats.dropFirst(2).dropLast()) {
            #expect(next.clocks.sinceBoot - beat.clocks.sinceBoot >= .seconds(60))
        }
        // Each comes in a commit of readings, except the first and the last one.
        for (before, count) in zip(store.readingsByHeartbeat, store.readingsByHeartbeat.dropFirst().dropLast()) {
            #expect(count > before)
        }
        #expect(beats.last?.state == .stopped)
        #expect(beats.first?.downtime == nil)
        #expect(store.durableAppends <= 2 * 60 + 2)
    }

    @Test func heartbeatsTellWhatWasDone() async throws {
        let laptop = try await Laptop.run(for: .seconds(605)) { laptop in
            try await laptop.at(1)
            laptop.power.set(.battery(42))
            try await laptop.at(300)
            laptop.home.world.hide("Freezer")
        }
        let activities = laptop.home.store.heartbeats.flatMap(\.activities)
        func sum(_ device: String, _ count: (DeviceActivity) -> Int) -> Int {
            activities.filter { $0.device == device }.map(count).reduce(0, +)
        }
        #expect(sum("Living Room", \.good) == 11)
        #expect(sum("Living Room", \.connects) == 1)
        #expect((595_000...605_000).contains(sum("Living Room") { Int($0.onAir / .milliseconds(1)) }))
        #expect(sum("Freezer", \.good) + sum("Freezer", \.failed) + sum("Freezer", \.missed) == 11)
        #expect(sum("Freezer", \.connects) > 1)
        #expect((290_000...320_000).contains(sum("Freezer") { Int($0.onAir / .milliseconds(1)) }))
        let values = laptop.home.store.readings.count {
            if case .value = $0.reading.outcome { $0.reading.device == "Living Room" } else { false }
        }
        #expect(sum("Living Room", \.values) == values)
        #expect(laptop.home.store.heartbeats.last?.percentage == 42)
        #expect(laptop.home.store.heartbeats.last?.mode == .battery)
    }

    @Test func aStartRecordsTheGapBeforeIt() async throws {
        let before = Heartbeat(
            clocks: ClockReading(boot: "this", sinceBoot: .seconds(3000), awake: .seconds(3000), time: 0))
        let laptop = try await Laptop.run(for: .seconds(10), before: before) { _ in }
        #expect(laptop.home.store.heartbeats.first?.downtime?.cause == .crash)
        #expect(laptop.home.store.heartbeats.first?.downtime?.length == .seconds(600))
        #expect(laptop.home.store.heartbeats.dropFirst().allSatisfy { $0.downtime == nil })
    }

    @Test(arguments: [60, 86_400]) func aSleepIsAGapWithItsLength(_ seconds: Int) async throws {
        let laptop = try await Laptop.run(for: .seconds(seconds + 200)) { laptop in
            try await laptop.at(100)
            try await laptop.login.suspend(for: .seconds(seconds))
        }
        let beats = laptop.home.store.heartbeats
        let place = try #require(beats.firstIndex { $0.state == .asleep })
        #expect(laptop.home.store.heartbeats.compactMap(\.downtime).map(\.cause) == [.suspend])
        let downtime = try #require(beats[place + 1].downtime)
        #expect(downtime.length == .seconds(seconds))
        #expect(beats[place + 1].clocks.sinceBoot - beats[place].clocks.sinceBoot < .seconds(seconds + 15))
    }

    @Test func anUnannouncedSleepIsAGap() async throws {
        let laptop = try await Laptop.run(for: .seconds(900)) { laptop in
            try await laptop.at(40)
            laptop.home.bench.loop.sleepMachine(for: .seconds(600))
        }
        #expect(laptop.home.store.heartbeats.compactMap(\.downtime).map(\.length) == [.seconds(600)])
    }

    @Test func clockJumpsOfDecadesChangeNoTickAndLoseNoRow() async throws {
        let years: [Int64] = [-50, 10, -60, 0, 292_000_000]
        let steady = try await Laptop.run(for: .seconds(3600)) { _ in }
        let jumping = try await Laptop.run(for: .seconds(3600)) { laptop in
            for (index, year) in years.enumerated() {
                try await laptop.at(Double(300 + 600 * index))
                laptop.home.skew = year * 31_557_600_000
            }
        }
        func shape(_ laptop: Laptop) -> [[String]] {
            laptop.home.store.readings.map { ["\($0.sequence)", $0.reading.device, "\($0.reading.tick)"] }
        }
        #expect(shape(jumping) == shape(steady))
        #expect(
            jumping.home.store.heartbeats.map(\.clocks.sinceBoot)
                == steady.home.store.heartbeats.map(\.clocks.sinceBoot))
        #expect(jumping.home.store.heartbeats.allSatisfy { $0.downtime == nil })
    }

    @Test func recordsAModeWithinAMinuteWithoutReads() async throws {
        let laptop = try await Laptop.run(for: .seconds(800)) { laptop in
            try await laptop.at(100)
            laptop.power.set(.battery(15))
        }
        let beat = try #require(laptop.home.store.heartbeats.first { $0.mode == .low })
        #expect(beat.clocks.sinceBoot - .seconds(3600) <= .seconds(161))
        #expect(laptop.ticks == [0, 30, 60, 90, 390, 690])
    }

    @Test func nothingToReadStillLeavesASignOfLife() async throws {
        let laptop = try await Laptop.run(
            for: .seconds(4 * 3600), change: { $0.power.intervals = PowerIntervals(battery: .pause) }
        ) { laptop in
            try await laptop.at(1)
            laptop.power.set(.battery(42))
        }
        #expect(laptop.reads == [0])
        #expect((15...20).contains(laptop.home.store.heartbeats.count))
    }
}
