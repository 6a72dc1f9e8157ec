import BlekeepRecords
import GRDB
import SampleReadings
import Testing

@testable import BlekeepHistory

/// Histories with numbers in the tables of their upkeep that no history has written.
@Suite struct DamagedUpkeepTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
    }

    @Test(arguments: [
        "UPDATE rollups SET start = 9223372036854775807, period = 9223372036854775807 WHERE minutes = 60",
        "UPDATE rollups SET start = -9223372036854775808 WHERE minutes = 60",
        "UPDATE rollups SET count = 9223372036854775807",
        "UPDATE upkeep SET rollup_bytes = 9223372036854775807",
        "UPDATE upkeep SET rolled = -9223372036854775808, given = 9223372036854775807",
        "UPDATE upkeep SET given = -9223372036854775808",
        "UPDATE upkeep SET rolled = 5; UPDATE spans SET first = -9223372036854775808",
        "INSERT INTO clocks VALUES (-9223372036854775808, 'this', 0, 0, 0, 0, 0)",
        "INSERT INTO clocks VALUES (-9223372036854775808, 'other', 0, 0, 2, 0, 0)",
        "INSERT INTO clocks VALUES (9223372036854775807, 'other', 0, 0, 2, 0, 0)",
        "INSERT INTO clocks VALUES (1, 'this', -9223372036854775808, 9223372036854775807, 0, 0, 0)",
        "INSERT INTO clocks VALUES (1, 'this', 0, 0, 2, 0, 9223372036854775807)",
        "INSERT INTO clocks VALUES (1, 'this', 0, 0, 2, 9223372036854775807, 0)",
        "INSERT INTO clocks VALUES (1, 'this', 0, 0, 2, 'x', 'x')",
    ])
    func damagedNumbersStopNeitherTheHistoryNorItsReaders(_ damage: String) throws {
        do {
            let history = try History(path: path)
            _ = try history.append(try (0..<10).map { try makeReading(tick: $0) }, durable: true)
            while history.needsUpkeep { try history.upkeep() }
        }
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: damage) }
        try queue.close()
        try ask()
        let history = try History(path: path)
        for isSet in [false, true] {
            var changes = LedgerChanges()
            changes.clocks = ClockReading(
                boot: "this", sinceBoot: .seconds(10), awake: .seconds(10), time: someTime, isSynchronized: isSet)
            let stored = try history.append([try makeReading(tick: 100)], nil, changes, durable: true)
            var steps = 0
            while history.needsUpkeep, steps < 1000 {
                try history.upkeep()
                steps += 1
            }
            #expect(steps < 1000)
            if isSet { #expect(try rolled() >= stored[0].sequence) }
        }
        try ask()
        var ticks: [Int] = []
        try HistoryReader(path: path).readings { ticks.append($0.reading.tick) }
        #expect(ticks.suffix(2) == [100, 100])
    }

    /// The last reading in the rollups, which alone may make room.
    private func rolled() throws -> Int64 {
        try DatabaseQueue(path: path).read { try Int64.fetchOne($0, sql: "SELECT rolled FROM upkeep") ?? 0 }
    }

    /// Asks for everything; an error is no trap.
    private func ask() throws {
        let reader = try HistoryReader(path: path)
        for period in Summary.Period.allCases { try? reader.summaries(every: period) { _ in } }
        try? reader.readings(HistoryQuery(since: 0)) { _ in }
        _ = try? reader.latest()
    }
}
