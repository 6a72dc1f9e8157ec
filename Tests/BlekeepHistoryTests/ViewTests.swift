import BlekeepRecords
import GRDB
import SampleReadings
import Testing

@testable import BlekeepHistory

/// The views for users of SQL.
@Suite struct ViewTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
        let history = try History(path: path)
        let hour: Int64 = 3_600_000
        let start = someTime / hour * hour
        var readings = try (0..<6).map { index in
            try makeReading(makeValue(.number(Double(index))), time: start + Int64(index) * hour / 3 + 123)
        }
        readings.append(try makeReading(makeValue(.boolean(true), field: "open", unit: nil), time: start + 3 * hour))
        readings.append(try makeReading(makeFailure(), time: start + 4 * hour))
        _ = try history.append(readings, durable: true)
        // So many that the first hours are summarized.
        for index in 0..<40 {
            _ = try history.append(
                [try makeReading(makeValue(.number(9)), time: start + (5 + Int64(index)) * hour)], durable: true)
        }
        while history.needsUpkeep { try history.upkeep() }
        history.close()
    }

    private func rows(_ sql: String) throws -> [[String]] {
        try DatabaseQueue(path: path).read { database in
            try Row.fetchAll(database, sql: sql).map { row in row.databaseValues.map { "\($0)" } }
        }
    }

    @Test func aReadingHasItsNameItsUnitAndItsTime() throws {
        #expect(
            try rows("SELECT time, device, id, field, value, unit FROM readings ORDER BY seq LIMIT 2") == [
                [
                    #""2026-11-21T03:00:00.123Z""#, #""greenhouse""#, #""f00000000001""#, #""temperature""#, "0.0",
                    #""°C""#,
                ],
                [
                    #""2026-11-21T03:20:00.123Z""#, #""greenhouse""#, #""f00000000001""#, #""temperature""#, "1.0",
                    #""°C""#,
                ],
            ])
        #expect(try rows("SELECT value FROM readings WHERE field = 'open'") == [[#""true""#]])
        #expect(try rows("SELECT error FROM readings WHERE field IS NULL") == [[#""timeout""#]])
    }

    @Test func theNewestIsTheLastOfEachSeries() throws {
        #expect(
            try rows("SELECT field, value FROM newest WHERE field = 'temperature'") == [[#""temperature""#, "9.0"]])
        #expect(try rows("SELECT count(*) FROM newest") == [["3"]])
    }

    @Test func anHourHasItsMean() throws {
        let hours = try rows(
            "SELECT time, count, min, mean, max FROM hourly WHERE field = 'temperature' ORDER BY time LIMIT 2")
        #expect(
            hours == [
                [#""2026-11-21T03:00:00Z""#, "3", "0.0", "1.0", "2.0"],
                [#""2026-11-21T04:00:00Z""#, "3", "3.0", "4.0", "5.0"],
            ], "\(hours)")
    }
}
