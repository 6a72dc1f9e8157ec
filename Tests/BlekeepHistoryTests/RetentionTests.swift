import BlekeepOutputs
import BlekeepRecords
import Foundation
import GRDB
import SampleReadings
import Testing

@testable import BlekeepHistory

/// A history that takes no more of the disk than it may.
@Suite struct RetentionTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
    }

    private final class Log: @unchecked Sendable {
        var lines: [String] = []
    }

    /// As small as makes sense.
    private var small: HistoryLimits {
        var limits = HistoryLimits(HistoryConfiguration(reserve: 0))
        limits.size = 256 << 10
        limits.rollups = 128 << 10
        return limits
    }

    private func makeHistory(_ limits: HistoryLimits, _ log: Log = Log()) throws -> History {
        try History(path: path, limits: limits) { log.lines.append($0) }
    }

    /// The size of the database's log.
    private var logSize: Int64 { HistoryFile("\(path)-wal")?.size ?? 0 }

    /// What is used of the database's file and its log. A log has 16 pages before it begins again, which is more than its
    /// share of a database as small as these, and isn't the readings' fault.
    private func used() throws -> Int64 {
        let log = min(logSize, small.log)
        return try HistoryReader(path: path).database { try Retention.used(in: $0) } + log
    }

    private func all() throws -> [StoredReading] {
        var readings: [StoredReading] = []
        try HistoryReader(path: path).readings { readings.append($0) }
        return readings
    }

    /// Appends as a poller does, with the upkeep between.
    private func fill(
        _ history: History, _ count: Int, from first: Int = 0, time: (Int) -> Int64 = { someTime + Int64($0) * 1000 }
    )
        throws -> Int64
    {
        var last: Int64 = 0
        for start in stride(from: first, to: first + count, by: 20) {
            let readings = try (start..<start + 20).map { index in
                try makeReading(
                    makeValue(.number(Double(index))), time: time(index), address: "F0:00:00:00:00:0\(index % 10)")
            }
            last = try history.append(readings, durable: start % 400 == 0).last?.sequence ?? 0
            if history.needsUpkeep { try history.upkeep() }
        }
        return last
    }

    @Test func itStaysWithinItsSizeAndTheNewestStay() throws {
        let log = Log()
        let limits = small
        let history = try makeHistory(limits, log)
        let last = try fill(history, 15_000)
        while history.needsUpkeep { try history.upkeep() }
        #expect(try used() <= limits.size + limits.rollups)
        let readings = try all()
        #expect(readings.last?.sequence == last)
        #expect(readings.map(\.sequence) == Array(last - Int64(readings.count) + 1...last))
        #expect(readings.count > 3000)
        #expect(log.lines.count == 1 && log.lines[0].contains("when they are full, its oldest readings make room"))
        var count: Int64 = 0
        try HistoryReader(path: path).summaries(every: .hour) { count += $0.count }
        #expect(count == 15_000)
    }

    /// A busy machine may take longer for anything than upkeep has.
    @Test func upkeepWithoutAnyTimeComesToItsEnd() throws {
        _ = try fill(makeHistory(HistoryLimits(HistoryConfiguration(reserve: 0))), 6000)
        let limits = small
        let history = try makeHistory(limits)
        var steps = 0
        while history.needsUpkeep, steps < 1000 {
            try history.upkeep(slice: .zero)
            steps += 1
        }
        #expect(steps < 1000)
        #expect(try used() <= limits.size + limits.rollups)
    }

    /// A row of the upkeep that is damaged while there is more to remove.
    @Test func upkeepWithoutTheSizeOfItsRollupsComesToItsEnd() throws {
        _ = try fill(makeHistory(HistoryLimits(HistoryConfiguration(reserve: 0))), 6000)
        let history = try makeHistory(small)
        let count = try all().count
        while try all().count == count { try history.upkeep(slice: .zero) }
        #expect(history.needsUpkeep)
        try history.writer.withLock { writer in
            try writer.queue?.write { try $0.execute(sql: "UPDATE upkeep SET rollup_bytes = 9.3e18") }
        }
        var steps = 0
        while history.needsUpkeep, steps < 1000 {
            try history.upkeep(slice: .zero)
            steps += 1
        }
        #expect(steps < 1000)
    }

    @Test func aClockThatJumpsRemovesNothing() throws {
        let history = try makeHistory(HistoryLimits(HistoryConfiguration(size: 8 << 20, reserve: 0)))
        let years: Int64 = 86_400_000 * 365 * 40
        _ = try fill(history, 2000) { index in
            someTime + (index % 100 < 50 ? years : -years) + Int64(index) * 1000
        }
        while history.needsUpkeep { try history.upkeep() }
        #expect(try all().count == 2000)
    }

    @Test func rollupsStayWithinTheirSize() throws {
        let limits = small
        let history = try makeHistory(limits)
        // Each reading in five minutes of its own.
        _ = try fill(history, 5000) { someTime + Int64($0) * 300_000 }
        while history.needsUpkeep { try history.upkeep() }
        let counts = try HistoryReader(path: path).database { database in
            try Row.fetchAll(database, sql: "SELECT minutes, count(*) FROM rollups GROUP BY minutes").map {
                (Int64.fromDatabaseValue($0[0]) ?? 0, Int64.fromDatabaseValue($0[1]) ?? 0)
            }
        }
        let bytes = try HistoryReader(path: path).database { database in
            try Int64.fetchOne(database, sql: "SELECT rollup_bytes FROM upkeep") ?? 0
        }
        #expect(bytes <= limits.rollups)
        #expect(counts.reduce(0) { $0 + $1.1 } * RollupBucket.bytes == bytes)
        #expect(try used() <= limits.size + limits.rollups)
    }

    @Test func upkeepShrinksALogThatHasOutgrownItsShareOnceNoReaderHoldsIt() throws {
        let history = try makeHistory(small)
        _ = try fill(history, 20)
        // A reader's snapshot: SQLite can't begin the log again meanwhile.
        var configuration = GRDB.Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: path, configuration: configuration)
        try reader.inDatabase { database in
            try database.beginTransaction(.deferred)
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM measurements")
        }
        _ = try fill(history, 2000, from: 20)
        repeat { try history.upkeep() } while history.needsUpkeep
        try #require(logSize > small.log)
        try reader.inDatabase { try $0.commit() }
        // Nothing is left to do, so no commit begins the log again.
        repeat { try history.upkeep() } while history.needsUpkeep
        #expect(logSize <= small.log)
        #expect(try all().count == 2020)
    }

    @Test func aLogThatAReaderHoldsCountsTowardTheSizeIsReportedOnceAndShrinksAfterIt() throws {
        let log = Log()
        var limits = small
        limits.size = 3 << 20
        let history = try makeHistory(limits, log)
        _ = try fill(history, 20)
        var configuration = GRDB.Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: path, configuration: configuration)
        try reader.inDatabase { database in
            try database.beginTransaction(.deferred)
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM measurements")
        }
        for start in stride(from: 20, to: 80_020, by: 500) {
            let readings = try (start..<start + 500).map { index in
                try makeReading(makeValue(.number(Double(index))), time: someTime + Int64(index) * 1000)
            }
            _ = try history.append(readings, durable: false)
            while history.needsUpkeep { try history.upkeep() }
        }
        try #require(logSize > 2 * limits.log)
        // The log takes their room.
        let used = try HistoryReader(path: path).database { try Retention.used(in: $0) }
        #expect(used <= 2 << 20, "\(used)")
        #expect(log.lines.count { $0.contains("stays in a transaction on the history") } == 1, "\(log.lines)")
        try reader.inDatabase { try $0.commit() }
        _ = try fill(history, 40, from: 80_020)
        repeat { try history.upkeep() } while history.needsUpkeep
        #expect(logSize <= limits.log)
        #expect(log.lines.count { $0.contains("has its usual size again") } == 1)
    }

    @Test func aLogThatCantShrinkIsTriedEveryTenSeconds() {
        var watch = LogWatch()
        #expect(watch.see(10, limit: 20) == nil && !watch.isDue(at: .zero))
        #expect(watch.see(30, limit: 20) == nil && watch.isDue(at: .zero))
        #expect(watch.tried(30, limit: 20, at: .seconds(1)) { "sqlite3 (process 7)" } == nil)
        #expect(!watch.isDue(at: .seconds(10)) && watch.isDue(at: .seconds(11)))
        let line = watch.tried(40, limit: 20, at: .seconds(11)) { "sqlite3 (process 7)" }
        #expect(line?.hasPrefix("sqlite3 (process 7) stays in a transaction on the history") == true)
        #expect(watch.tried(90, limit: 20, at: .seconds(21)) { nil } == nil)
        #expect(watch.see(20, limit: 20) == "the history's log has its usual size again")
        #expect(watch.see(20, limit: 20) == nil && !watch.isDue(at: .seconds(99)))
    }

    @Test func theProgramThatHoldsTheLogIsNamed() {
        let locks = """
            1: POSIX  ADVISORY  WRITE 12 08:01:77 1073741826 1073742335
            2: POSIX  ADVISORY  READ 9 08:01:78 124 124
            3: POSIX  ADVISORY  READ 41 08:01:77 124 124
            4: POSIX  ADVISORY  READ 42 08:01:77 124 124
            """
        #expect(HistoryHolder.reader(in: locks, inode: 77, besides: 41) == 42)
        #expect(HistoryHolder.reader(in: locks, inode: 79, besides: 41) == nil)
        #expect(HistoryHolder.reader(in: "no locks", inode: 77, besides: 1) == nil)
    }

    @Test func rollupsOfFiveMinutesMakeRoomBeforeThoseOfAnHour() throws {
        let history = try makeHistory(small)
        _ = try fill(history, 5000) { someTime + Int64($0) * 60_000 }
        while history.needsUpkeep { try history.upkeep() }
        var counts: [Summary.Period: Int64] = [:]
        for period in Summary.Period.allCases {
            try HistoryReader(path: path).summaries(every: period) { counts[period, default: 0] += $0.count }
        }
        #expect(counts[.hour] == 5000)
        #expect((1..<5000).contains(try #require(counts[.fiveMinutes])))
    }

    @Test func nothingIsRemovedThatIsNotInTheRollups() throws {
        let history = try makeHistory(small)
        for start in 0..<600 {
            let readings = try (0..<20).map { try makeReading(makeValue(.integer(Int64(start * 20 + $0)))) }
            _ = try history.append(readings, durable: false)
        }
        #expect(try all().count == 12_000)
        while history.needsUpkeep { try history.upkeep() }
        #expect(try all().count < 12_000)
        var count: Int64 = 0
        try HistoryReader(path: path).summaries(every: .fiveMinutes) { count += $0.count }
        #expect(count == 12_000)
    }

    @Test func whatWaitsForTheClockMakesRoomWhenItMust() throws {
        let history = try makeHistory(small)
        var changes = LedgerChanges()
        changes.clocks = ClockReading(
            boot: "first", sinceBoot: .seconds(10), awake: .seconds(10), time: someTime, isSynchronized: false)
        for start in 0..<600 {
            let readings = try (0..<20).map { try makeReading(makeValue(.integer(Int64(start * 20 + $0)))) }
            _ = try history.append(readings, nil, changes, durable: false)
            if history.needsUpkeep { try history.upkeep() }
        }
        while history.needsUpkeep { try history.upkeep() }
        #expect(try used() <= small.size + small.rollups)
        #expect(try all().allSatisfy { !$0.reading.isClockSet })
    }

    /// A machine so slow that a step removes one summary. Names of values take the room of the readings, which can't give
    /// any more.
    @Test func aSlowMachineRemovesAllSummariesThatAreTooMany() throws {
        var large = small
        large.rollups = 16 << 20
        let history = try makeHistory(large)
        for start in 0..<120 {
            let readings = try (0..<20).map { index in
                try makeReading(
                    makeValue(.integer(1), field: "\(String(repeating: "field ", count: 40)) \(start * 20 + index)"),
                    time: someTime + Int64(start) * 86_400_000)
            }
            _ = try history.append(readings, durable: false)
            while history.needsUpkeep { try history.upkeep() }
        }
        history.close()
        func summaries() throws -> Int64 {
            try HistoryReader(path: path).database {
                try Int64.fetchOne($0, sql: "SELECT rollup_bytes FROM upkeep") ?? -1
            }
        }
        let again = try makeHistory(small)
        while again.needsUpkeep { try again.upkeep(slice: .zero) }
        let left = try summaries()
        #expect(left <= small.rollups && left > small.rollups / 2)
    }

    @Test func seriesOfWhichNothingIsLeftAreRemoved() throws {
        let history = try makeHistory(small)
        for start in 0..<300 {
            let readings = try (0..<20).map { index in
                try makeReading(
                    makeValue(.integer(1), field: "field \(start * 20 + index)"),
                    time: someTime + Int64(start) * 86_400_000)
            }
            _ = try history.append(readings, durable: false)
            while history.needsUpkeep { try history.upkeep() }
        }
        // A start does all the work that is left.
        history.close()
        let again = try makeHistory(small)
        while again.needsUpkeep { try again.upkeep() }
        let count = try HistoryReader(path: path).database { try Int.fetchOne($0, sql: "SELECT count(*) FROM series") }
        #expect(try #require(count) < 5000)
        var named = 0
        try HistoryReader(path: path).readings { named += $0.reading.name == "Temperature" ? 1 : 0 }
        #expect(named > 0)
    }
}
