import BlekeepRecords
import Foundation
import GRDB
import SampleReadings
import Testing

@testable import BlekeepHistory

@Suite struct HeartbeatTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
    }

    private func beat(
        _ seconds: Int, boot: String = "a", time: Int64? = nil, state: Heartbeat.State = .running,
        mode: PowerMode = .normal, percentage: Double? = nil, activities: [DeviceActivity] = [],
        downtime: Downtime? = nil
    ) -> Heartbeat {
        Heartbeat(
            clocks: ClockReading(
                boot: boot, sinceBoot: .seconds(seconds), awake: .seconds(seconds),
                time: time ?? someTime + Int64(seconds) * 1000, isSynchronized: true),
            state: state, mode: mode, supply: .mains, percentage: percentage, activities: activities,
            downtime: downtime)
    }

    private func rows(_ sql: String) throws -> [[Int64]] {
        try DatabaseQueue(path: path).read { database in
            try Row.fetchAll(database, sql: sql).map { row in
                row.databaseValues.map { Int64.fromDatabaseValue($0) ?? -1 }
            }
        }
    }

    @Test func aNightOfHeartbeatsIsAFewRowsAnHourEachBeginningWhereTheLastOneEnds() throws {
        let history = try History(path: path)
        for minute in 0...480 {
            _ = try history.append(
                [try makeReading()], beat(60 * minute, mode: minute < 240 ? .normal : .low), durable: false)
        }
        let found = try rows(
            "SELECT from_boot_ns / 1000000000, to_boot_ns / 1000000000, seq FROM heartbeats ORDER BY id")
        #expect(found.count <= 50)
        #expect(found.first?.first == 0)
        #expect(found.last?.dropFirst() == [28_800, 481])
        for (row, next) in zip(found, found.dropFirst()) { #expect(row[1] == next[0]) }
    }

    @Test func readingsAndTheirHeartbeatAreKeptTogetherOrNotAtAll() throws {
        let history = try History(path: path)
        _ = try history.append([try makeReading()], beat(0), durable: false)
        try DatabaseQueue(path: path).write {
            try $0.execute(
                sql: "CREATE TRIGGER refuse BEFORE UPDATE ON heartbeats BEGIN SELECT raise(ABORT, 'no'); END")
        }
        #expect(throws: HistoryError.self) { try history.append([try makeReading()], beat(60), durable: true) }
        #expect(try rows("SELECT count(*) FROM measurements") == [[1]])
        try DatabaseQueue(path: path).write { try $0.execute(sql: "DROP TRIGGER refuse") }
        _ = try history.append([try makeReading()], beat(60), durable: true)
        #expect(try rows("SELECT count(*) FROM measurements") == [[2]])
        #expect(try history.lastHeartbeat()?.clocks.sinceBoot == .seconds(60))
    }

    @Test func theNextStartFindsWhatTheLastOneWas() throws {
        var history: History? = try History(path: path)
        #expect(try history?.lastHeartbeat() == nil)
        let last = beat(90, state: .stopped, mode: .low, percentage: 41.5)
        _ = try history?.append([], beat(30), durable: false)
        _ = try history?.append([], last, durable: true)
        history = nil
        let next = try History(path: path)
        #expect(try next.lastHeartbeat() == last)
        let now = beat(100)
        let downtime = Downtime(since: last, until: now.clocks)
        _ = try next.append([], beat(100, downtime: downtime), durable: false)
        // A row of its own: the time between belongs to neither.
        #expect(try rows("SELECT from_boot_ns / 1000000000 FROM heartbeats") == [[30], [30], [100]])
        #expect(try rows("SELECT heartbeat, length_ms FROM downtimes") == [[3, 10_000]])
    }

    @Test func whatWasDoneAddsUpInItsRow() throws {
        let history = try History(path: path)
        let address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
        for minute in 0..<5 {
            var activity = DeviceActivity(device: "a\0b", address: address)
            activity.good = 2
            activity.values = 6
            activity.onAir = .milliseconds(1500)
            _ = try history.append([], beat(60 * minute, activities: [activity]), durable: false)
        }
        #expect(try rows("SELECT good, samples, air_ms FROM activity") == [[10, 30, 7500]])
    }

    @Test func readingsThatWaitForASinkAreALineOverTheDay() throws {
        let history = try History(path: path)
        for minute in 0...120 {
            var beat = beat(60 * minute)
            beat.backlogs = ["lines": 0, "mqtt": (30...60).contains(minute) ? Int64(minute) : 0]
            _ = try history.append([], beat, durable: false)
        }
        // A sink for which nothing waits takes no room.
        let most = "SELECT backlogs ->> '$.mqtt' FROM heartbeats WHERE backlogs IS NOT NULL ORDER BY id"
        #expect(try rows(most) == [[30], [40], [50], [60]])
        #expect(try rows("SELECT count(*) FROM heartbeats WHERE backlogs LIKE '%lines%'") == [[0]])
        let reader = try HistoryReader(path: path)
        let plot = try reader.backlogs(in: someTime...someTime + 7_200_000, columns: 12)
        #expect(plot.series.map(\.label) == ["mqtt"])
        #expect(plot.series.first?.points.map(\.latest) == [0, 0, 30, 40, 50, 60, 0, 0, 0, 0, 0, 0])
        #expect(plot.series.first?.runs.count == 1)
        #expect(try reader.backlogs(in: someTime + 5_000_000...someTime + 7_200_000, columns: 12).series.isEmpty)
        // Damage is as if nothing had waited.
        for text in ["{", "7", "[1]", "{\"mqtt\":\"x\"}", "{\"mqtt\":-1}"] {
            try DatabaseQueue(path: path).write {
                try $0.execute(sql: "UPDATE heartbeats SET backlogs = ?", arguments: [text])
            }
            let found = try reader.backlogs(in: someTime...someTime + 7_200_000, columns: 12).series
            #expect(found.allSatisfy { $0.points.allSatisfy { $0.greatest == 0 } }, "\(text)")
        }
    }

    @Test func clocksThatJumpByDecadesMakeRowsAndLoseNone() throws {
        let history = try History(path: path)
        let most = History.maxNumber
        let times: [Int64] = [someTime, -1_577_923_200_000, -most, most, 0, someTime + 315_360_000_000]
        for (index, time) in times.enumerated() {
            _ = try history.append([try makeReading(time: time)], beat(60 * index, time: time), durable: false)
        }
        #expect(try rows("SELECT to_boot_ns / 1000000000, seq FROM heartbeats") == [[300, 6]])
        var count = 0
        try HistoryReader(path: path).readings { _ in count += 1 }
        #expect(count == 6)
    }

    @Test func onlyTheNewestRowsStayWhateverTheClocksSay() throws {
        let history = try History(path: path)
        _ = try history.append([], beat(0), durable: false)
        try DatabaseQueue(path: path).write {
            try $0.execute(
                sql: "UPDATE sqlite_sequence SET seq = \(HeartbeatTables.maxRows + 5) WHERE name = 'heartbeats'")
        }
        _ = try history.append([], beat(60, mode: .low), durable: false)
        #expect(try rows("SELECT count(*) FROM heartbeats") == [[1]])
    }
}
