import BlekeepRecords
import GRDB
import SampleReadings
import Testing

@testable import BlekeepHistory

/// Pages of a history, for readers that go on later.
@Suite struct PageTests {
    private let folder: TemporaryFolder
    private let history: History

    init() throws {
        folder = try TemporaryFolder()
        history = try History(path: folder.file("history.sqlite"))
        for number in 0..<20 {
            _ = try history.append([try makeReading(time: someTime + Int64(number) * 1000)], durable: false)
        }
    }

    @Test func aPageFollowsANumber() throws {
        let reader = try HistoryReader(path: history.path)
        #expect(try reader.page(HistoryQuery(), after: 3, limit: 4).map(\.sequence) == [4, 5, 6, 7])
        #expect(try reader.page(HistoryQuery(), after: 20, limit: 4).isEmpty)
        #expect(try reader.page(HistoryQuery(), after: .max, limit: 4).isEmpty)
    }

    @Test func theLastOfAPageIsKnownBeforeItIsRead() throws {
        let reader = try HistoryReader(path: history.path)
        for (after, limit, last) in [(0, 7, 7), (5, 7, 12), (0, 20, 20), (0, 21, nil), (20, 1, nil)]
            as [(Int64, Int, Int64?)]
        {
            #expect(try reader.last(ofFirst: limit, HistoryQuery(), after: after) == last)
        }
        let late = HistoryQuery(since: someTime + 10_000)
        #expect(try reader.last(ofFirst: 3, late, after: 0) == 13)
        #expect(try reader.page(late, after: 0, limit: 3).map(\.sequence) == [11, 12, 13])
    }

    @Test func newsHaveTheNewestNumber() throws {
        let news = try HistoryReader(path: history.path).news(after: 18, limit: 10)
        #expect(news.readings.map(\.sequence) == [19, 20] && news.newest == 20)
        #expect(try HistoryReader(path: history.path).news(after: 99, limit: 10).newest == 20)
    }

    /// A series without readings is removed, and its number is free for another one.
    @Test func aNumberOfAnotherSeriesIsReadAnew() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("history.sqlite")
        let history = try History(path: path)
        _ = try history.append([try makeReading(device: "attic")], durable: false)
        let reader = try HistoryReader(path: path)
        #expect(try reader.latest().map(\.reading.device) == ["attic"])
        _ = try history.remove(through: 1)
        try history.writer.withLock { writer in
            writer.series.reset()
            try writer.queue?.write { try $0.execute(sql: "DELETE FROM series") }
        }
        _ = try history.append([try makeReading(device: "cellar", address: "F0:00:00:00:00:02")], durable: false)
        let reading = try #require(try reader.page(HistoryQuery(), after: 0, limit: 1).first?.reading)
        #expect(reading.device == "cellar" && reading.address == BluetoothAddress("F0:00:00:00:00:02"))
    }
}
