import BlekeepRecords
import Foundation
import SampleReadings
import Testing

@testable import BlekeepHistory
@testable import BlekeepOutputs

@Suite struct ReportTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
    }

    private static func clocks(_ minutes: Int, boot: String = "a", asleep: Int = 0, skew: Int64 = 0) -> ClockReading {
        ClockReading(
            boot: boot, sinceBoot: .seconds(60 * minutes), awake: .seconds(60 * (minutes - asleep)),
            time: someTime &+ Int64(minutes) * 60_000 &+ skew)
    }

    private func beat(
        _ minutes: Int, state: Heartbeat.State = .running, mode: PowerMode = .battery, percentage: Double? = nil,
        skew: Int64 = 0, good: Int = 2, downtime: Downtime? = nil
    ) throws -> Heartbeat {
        var activity = DeviceActivity(
            device: "greenhouse", address: try #require(BluetoothAddress("F0:00:00:00:00:01")))
        activity.good = good
        activity.values = 4 * good
        activity.connects = 1
        activity.onAir = .seconds(2)
        return Heartbeat(
            clocks: Self.clocks(minutes, skew: skew), state: state, mode: mode, supply: .battery,
            percentage: percentage, activities: [activity], downtime: downtime)
    }

    private func report(_ since: Duration, at minutes: Int, skew: Int64 = 0) throws -> Report? {
        try HistoryReader(path: path).report(since: since, now: Self.clocks(minutes, skew: skew))
    }

    @Test func aNightOnBatteryWithASleepInIt() throws {
        let history = try History(path: path)
        for minute in 0...240 {
            _ = try history.append([], try beat(minute, percentage: 90 - Double(minute) / 10), durable: false)
        }
        _ = try history.append([], try beat(241, state: .asleep, percentage: 65.9), durable: false)
        let slept = Downtime(asleep: .seconds(118 * 60), until: Self.clocks(360, asleep: 118))
        for minute in 360...600 {
            _ = try history.append(
                [],
                try beat(
                    minute, mode: minute < 400 ? .battery : .low, percentage: 65 - Double(minute - 360) / 10,
                    downtime: minute == 360 ? slept : nil), durable: false)
        }
        let all = try #require(try report(.seconds(24 * 3600), at: 601))
        #expect(all.gaps.map(\.cause) == [.suspend])
        #expect(all.down == .seconds(118 * 60))
        #expect(all.up == .seconds((241 + 240) * 60))
        #expect(all.battery?.from == 90)
        #expect(all.battery?.to == 41)
        #expect(abs((all.drain?.perHour ?? 0) - 6) < 0.1)
        #expect(all.devices.map(\.good) == [2 * (242 + 241)])
        #expect(all.time(in: .low) + all.time(in: .battery) == all.up)
        // Spans and gaps lie side by side.
        #expect(all.spans.last.map { $0.offset + $0.length } == all.length)
        // Only the last hour: to the beginning of a row of ten minutes.
        let hour = try #require(try report(.seconds(3600), at: 601))
        #expect(hour.gaps == [])
        #expect((60...70).contains(hour.length / .seconds(60)))
    }

    @Test func aReportMayEndEarlier() throws {
        let history = try History(path: path)
        for minute in 0...120 { _ = try history.append([], try beat(minute), durable: false) }
        _ = try history.append([], try beat(121, state: .stopped), durable: false)
        for minute in 300...400 { _ = try history.append([], try beat(minute), durable: false) }
        func report(_ since: Duration, until minute: Int) throws -> Report? {
            try HistoryReader(path: path).report(
                since: since, until: Self.clocks(minute).time, now: Self.clocks(401))
        }
        let morning = try #require(try report(.seconds(3600), until: 100))
        #expect(morning.gaps == [] && !morning.isRunning && morning.to <= Self.clocks(110).time)
        #expect((60...80).contains(morning.length / .seconds(60)))
        // The rest of the hour is a part of a gap.
        let noon = try #require(try report(.seconds(3600), until: 150))
        #expect(noon.gaps.map(\.cause) == [.stopped] && noon.gaps.last?.length == .seconds(29 * 60))
        #expect(noon.to == Self.clocks(150).time)
        #expect(try report(.seconds(3600), until: -1) == nil)
        #expect(try report(.seconds(3600), until: 401)?.isRunning == true)
    }

    @Test func clocksThatJumpByDecadesChangeNothingButTheLabels() throws {
        let history = try History(path: path)
        let skews: [Int64] = [0, -1_577_880_000_000, 315_576_000_000]
        for minute in 0...120 {
            _ = try history.append([], try beat(minute, skew: skews[minute / 41]), durable: false)
        }
        let all = try #require(try report(.seconds(24 * 3600), at: 121, skew: .min / 2))
        #expect(all.up == .seconds(120 * 60))
        #expect(all.gaps == [])
        #expect(all.devices.map(\.good) == [242])
    }

    @Test func silenceUntilNowIsAGapAndNothingBeforeItWhenItIsLongEnough() throws {
        let history = try History(path: path)
        _ = try history.append([], try beat(0), durable: false)
        _ = try history.append([], try beat(5), durable: false)
        #expect(try report(.seconds(3600), at: 6)?.gaps == [])
        let late = try #require(try report(.seconds(24 * 3600), at: 125))
        #expect(late.gaps.map(\.cause) == [.crash])
        #expect(late.down == .seconds(7200))
        _ = try history.append([], try beat(130, state: .stopped), durable: false)
        #expect(try report(.seconds(60), at: 131)?.gaps.map(\.cause) == [.stopped])
    }

    @Test func aSleepInWhichNoClockStoodStillIsOneAllTheSame() throws {
        let history = try History(path: path)
        _ = try history.append([], try beat(0, state: .asleep), durable: false)
        _ = try history.append([], try beat(3), durable: false)
        #expect(try report(.seconds(3600), at: 3)?.gaps.map(\.cause) == [.suspend])
    }

    @Test func aRunningPollersReportIsNotComplete() throws {
        let history = try History(path: path)
        _ = try history.append([], try beat(0), durable: false)
        #expect(try report(.seconds(3600), at: 1)?.isRunning == true)
        #expect(try report(.seconds(3600), at: 30)?.isRunning == false)
        _ = try history.append([], try beat(31, state: .stopped), durable: false)
        #expect(try report(.seconds(3600), at: 31)?.isRunning == false)
    }

    @Test func noHeartbeatsNoReport() throws {
        _ = try History(path: path)
        #expect(try report(.seconds(60), at: 1) == nil)
    }

    private func cost(
        connects: Int = 0, onAir: Duration = .zero, scanned: Duration = .zero, in length: Duration = .seconds(43_200)
    ) throws -> SensorCost? {
        var activity = DeviceActivity(device: "a", address: try #require(BluetoothAddress("F0:00:00:00:00:01")))
        (activity.connects, activity.onAir) = (connects, onAir)
        var report = Report(from: 0, to: 1)
        report.spans = [Report.Span(offset: .zero, length: length, mode: .normal, supply: .mains)]
        report.air.scanned = scanned
        return SensorCost(activity, in: report)
    }

    @Test func whatPollingCostsASensor() throws {
        let polled = try #require(try cost(connects: 48, onAir: .seconds(96)))
        #expect(polled.connectsPerDay == 96)
        #expect(polled.secondsPerConnect == 2)
        #expect(polled.secondsPerDay == 192)
        #expect(try cost(in: .zero) == nil)
        #expect(try cost(in: .seconds(30)) == nil)
    }

    @Test(arguments: [(-1, Duration.zero), (Int.min, .zero), (0, .milliseconds(-1)), (1, .milliseconds(Int64.min / 2))])
    func aDamagedCountIsNoCharge(connects: Int, onAir: Duration) throws {
        #expect(try #require(try cost(connects: connects, onAir: onAir)).chargePerYear == 0...0)
    }

    /// Compared with the figures of others, which lie within the range.
    @Test func theChargeIsARangeWithWhatOthersMeasured() throws {
        func range(_ cost: SensorCost?) throws -> ClosedRange<Double> { try #require(cost).chargePerYear }
        let half: Duration = .seconds(43_200)
        // A connection with an interval of 30 ms needs 267 µA.
        #expect(try range(try cost(connects: 1, onAir: half)).contains(0.267 * 8760))
        // A poll each 5 minutes with 3 s of connection, 28 mAh a year.
        #expect(try range(try cost(connects: 144, onAir: .seconds(432))).contains(28))
        // A scan without a pause takes 12 mAh a year from a sensor that sends each 2.5 s.
        #expect(try range(try cost(scanned: half)).contains(12))
        #expect(try #require(try cost(scanned: half)).texts.perYear == "1.7 to 30 % of CR2032")
        // Windows of 2 s each 5 minutes.
        #expect(try #require(try cost(scanned: half / 150)).texts.perYear == "less than 1 % of CR2032")
    }

    /// What would take less than half of it is worth saying, and a sensor on mains saves nothing.
    @Test func whatWouldSpareABattery() throws {
        var activity = DeviceActivity(device: "a", address: try #require(BluetoothAddress("F0:00:00:00:00:01")))
        (activity.good, activity.connects, activity.onAir) = (1440, 1, .seconds(43_200))
        var report = Report(from: 0, to: 1)
        report.spans = [Report.Span(offset: .zero, length: .seconds(43_200), mode: .normal, supply: .mains)]
        let held = try #require(SensorCost(activity, of: .twoAAA, in: report))
        #expect(held.savings.map(\.setting) == ["mode: release", "mode: release, interval: 5m"])
        #expect(held.battery.text(held.savings[1].chargePerYear) == "0.5 to 8.6 % of 2 AAA")
        #expect(SensorCost(activity, of: .mains, in: report)?.savings == [])
        #expect(SensorCost(activity, of: .mains, in: report)?.texts.perYear == "mains")
        // Each 5 minutes already.
        (activity.good, activity.connects, activity.onAir) = (144, 144, .seconds(432))
        #expect(SensorCost(activity, in: report)?.savings == [])
    }

    /// A machine without a battery-backed clock starts with the time at which it ended.
    private static func wrong(_ minutes: Int, isSet: Bool = false) -> ClockReading {
        var clocks = clocks(minutes, boot: "b", skew: isSet ? 180 * 60_000 : 61 * 60_000)
        clocks.isSynchronized = isSet
        return clocks
    }

    private func restart(_ first: Int, isSetAt set: Int, _ state: Heartbeat.State = .running) throws {
        let history = try History(path: path)
        for minute in 0...60 {
            var beat = try beat(minute, state: minute == 60 ? state : .running)
            beat.clocks.isSynchronized = true
            _ = try history.append([], beat, durable: false)
        }
        for minute in first...120 {
            var beat = try beat(minute)
            beat.clocks = Self.wrong(minute, isSet: minute >= set)
            if minute == first {
                beat.downtime = Downtime(since: try #require(try history.lastHeartbeat()), until: Self.wrong(first))
            }
            _ = try history.append([], beat, durable: false)
        }
    }

    /// Two hours without power look like a minute, until the clock is set.
    @Test(arguments: [(30, Heartbeat.State.running), (1, .running), (1, .shutdown), (75, .running)])
    func aGapBeforeTheClockWasSetHasItsLengthWhenItIsSet(
        set: Int, state: Heartbeat.State
    ) throws {
        try restart(1, isSetAt: set, state)
        let now = Self.wrong(120, isSet: true)
        let all = try #require(try HistoryReader(path: path).report(since: .seconds(24 * 3600), now: now))
        #expect(all.gaps.map(\.length) == [.seconds(121 * 60)])
        #expect(all.gaps.map(\.cause) == [.powerOff])
        #expect(all.up == .seconds((60 + 119) * 60))
        // Its ends are the times of day then, and so are those of the report.
        #expect(all.gaps.map { Duration.milliseconds($0.to - $0.from) } == [.seconds(121 * 60)])
        #expect(all.to - all.from == 300 * 60_000)
    }

    @Test func aStartAfterACrashWhileTheClockIsntSetGoesOnWhereItWas() throws {
        try restart(1, isSetAt: 200)
        let history = try History(path: path)
        for minute in 130...140 {
            var beat = try beat(minute)
            beat.clocks = Self.wrong(minute, isSet: minute == 140)
            if minute == 130 {
                beat.downtime = Downtime(since: try #require(try history.lastHeartbeat()), until: beat.clocks)
            }
            _ = try history.append([], beat, durable: false)
        }
        let now = Self.wrong(140, isSet: true)
        let all = try #require(try HistoryReader(path: path).report(since: .seconds(24 * 3600), now: now))
        #expect(all.gaps.map(\.cause) == [.powerOff, .crash])
        #expect(all.gaps.map(\.length) == [.seconds(121 * 60), .seconds(10 * 60)])
        #expect(all.to - all.from == 320 * 60_000)
        #expect(all.gaps.map { Duration.milliseconds($0.to - $0.from) } == [.seconds(121 * 60), .seconds(10 * 60)])
    }

    @Test func aClockThatIsNeverSetChangesNothing() throws {
        try restart(1, isSetAt: 200)
        let all = try #require(
            try HistoryReader(path: path).report(since: .seconds(24 * 3600), now: Self.wrong(120)))
        #expect(all.gaps.map(\.length) == [.seconds(2 * 60)])
    }
}
