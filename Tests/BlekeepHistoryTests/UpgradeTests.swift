import Blekeep
import Foundation
import GRDB
import OldHistory
import SampleReadings
import Testing

@testable import BlekeepHistory

/// A history that an earlier version has made.
@Suite struct UpgradeTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
        try OldHistory.make(at: path, readings: 1000)
    }

    private func summaries() throws -> [Summary] {
        var all: [Summary] = []
        try HistoryReader(path: path).summaries(every: .hour) { all.append($0) }
        return all
    }

    private func all(_ query: HistoryQuery = HistoryQuery()) throws -> [StoredReading] {
        var readings: [StoredReading] = []
        try HistoryReader(path: path).readings(query) { readings.append($0) }
        return readings
    }

    @Test func `numbers and readings stay, aliases become one series`() throws {
        let history = try History(path: path)
        let stored = try history.append([try makeReading(device: "newest")], durable: false)
        #expect(stored.map(\.sequence) == [1001])
        #expect(try all().map(\.sequence) == Array(1...1001))
        // By an alias that it had, and by the one that it has.
        #expect(try all(HistoryQuery(device: "old")).count == 1001)
        #expect(try all(HistoryQuery(device: "newest")).count == 1001)
        #expect(Set(try all().map(\.reading.instance)) == [1, 2])
        #expect(
            try all().allSatisfy { reading in
                guard case .value(let measurement, _) = reading.reading.outcome else { return false }
                return measurement.field == "temperature"
            })
        while history.needsUpkeep { try history.upkeep() }
        let instances = Dictionary(grouping: try summaries(), by: \.instance)
        #expect(instances[1]?.reduce(0) { $0 + $1.count } == 801)
        #expect(instances[2]?.reduce(0) { $0 + $1.count } == 200)
    }

    @Test func `a reader needs no writer of this version`() throws {
        #expect(try all().count == 1000)
        #expect(try all(HistoryQuery(device: "old", since: someTime + 500_000)).count == 500)
        #expect(try summaries().reduce(0) { $0 + $1.count } == 1000)
        #expect(try HistoryReader(path: path).latest().last?.sequence == 1000)
    }

    @Test func `the number of the next reading survives that all are removed`() throws {
        var history: History? = try History(path: path)
        #expect(try history?.remove(through: .max) == 1000)
        history = nil
        history = try History(path: path)
        #expect(try history?.append([try makeReading()], durable: false).map(\.sequence) == [1001])
    }

    @Test func `a history of a later version is refused`() throws {
        try DatabaseQueue(path: path).write { database in
            try database.execute(sql: "INSERT INTO grdb_migrations VALUES ('something later')")
        }
        #expect(throws: HistoryError.tooNew(path: path)) { try History(path: path) }
    }
}
