import BlekeepRecords
import Foundation
import GRDB
import HistoryTrials
import SampleReadings
import Testing

@testable import BlekeepHistory

/// What other programs do to the file of a history that is in use.
@Suite struct ForeignProgramTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
    }

    private func ticks(_ path: String) throws -> [Int] {
        var all: [Int] = []
        try HistoryReader(path: path).readings { all.append($0.reading.tick) }
        return all
    }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    /// A packed database is shorter, and the same; its log goes on.
    @Test(arguments: [false, true]) func aVacuumByAnotherProgramLosesNothing(staysOpen: Bool) throws {
        let history = try History(path: path) { Issue.record("\($0)") }
        var kept: [Int] = []
        var configuration = GRDB.Configuration()
        configuration.busyMode = .timeout(5)
        for round in 0..<8 {
            let batch = try (0..<400).map { try makeReading(makeFailure(), tick: round * 400 + $0) }
            let stored = try history.append(batch, durable: round.isMultiple(of: 2))
            // Room that a VACUUM gives back.
            try history.forgetPages()
            _ = try history.remove(through: (stored.last?.sequence ?? 0) - 50)
            kept = stored.suffix(50).map(\.reading.tick)
            let before = try size()
            let other = try DatabaseQueue(path: path, configuration: configuration)
            try other.vacuum()
            _ = try other.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            #expect(try size() < before)
            if !staysOpen { try other.close() }
            let next = try history.append([try makeReading(tick: 10_000 + round)], durable: false)
            #expect(next.first?.sequence == Int64((round + 1) * 401))
            kept += next.map(\.reading.tick)
            #expect(try ticks(path) == kept)
            guard staysOpen else { continue }
            // It sees the same.
            let count = try other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM measurements") }
            #expect(count == kept.count)
            try other.close()
        }
        #expect(names.filter { $0.contains("lost") || $0.contains("corrupt") } == [])
    }

    /// What a kill would leave: the files by their names.
    private func ticksAfterAKill() throws -> [Int] {
        let copy = folder.file("copy-\(UInt32.random(in: 0 ... .max)).sqlite")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        return try ticks(copy)
    }

    /// SQLite goes on in the file without a name.
    @Test(arguments: [["-wal"], ["-shm"], ["-wal", "-shm"]])
    func aLogThatAnotherProgramRemovesLosesNothing(suffixes: [String]) throws {
        nonisolated(unsafe) var notices: [String] = []
        let history = try History(path: path) { notices.append($0) }
        _ = try history.append(try (0..<10).map { try makeReading(tick: $0) }, durable: false)
        #expect(try history.readings(after: 0, limit: 3).count == 3, "the poller reads, too")
        for suffix in suffixes { unlink(path + suffix) }
        for tick in 10..<13 { _ = try history.append([try makeReading(tick: tick)], durable: false) }
        #expect(notices.count == 1 && notices.first?.contains("removed the log of the history") == true, "\(notices)")
        #expect(try ticksAfterAKill() == Array(0..<13))
        #expect(try history.readings(after: 0, limit: 100).count == 13)
        history.close()
        #expect(try ticks(path) == Array(0..<13))
    }

    @Test func aLogThatAnotherProgramEmptiesIsReportedAndLosesNothingLater() throws {
        nonisolated(unsafe) var notices: [String] = []
        let history = try History(path: path) { notices.append($0) }
        _ = try history.append(try (0..<10).map { try makeReading(tick: $0) }, durable: true)
        try history.forgetPages()
        _ = try history.append(try (10..<20).map { try makeReading(tick: $0) }, durable: false)
        #expect(truncate(path + "-wal", 0) == 0)
        let stored = try history.append([try makeReading(tick: 20)], durable: false)
        #expect(stored.map(\.sequence) == [21])
        _ = try history.append([try makeReading(tick: 21)], durable: false)
        #expect(notices.contains { $0.contains("emptied the log of the history") }, "\(notices)")
        #expect(try ticksAfterAKill() == Array(0..<10) + [20, 21])
    }

    /// A checkpoint of another program empties it, too.
    @Test func aLogThatIsWrittenIntoTheDatabaseIsNoLoss() throws {
        let history = try History(path: path) { Issue.record("\($0)") }
        _ = try history.append(try (0..<100).map { try makeReading(tick: $0) }, durable: false)
        let other = try DatabaseQueue(path: path)
        _ = try other.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        _ = try history.append([try makeReading(tick: 100)], durable: false)
        try other.close()
        #expect(try ticks(path) == Array(0...100))
    }

    private func size() throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    /// Every reading of the old one stays with it, also what only its log held.
    @Test func anotherDatabaseInItsPlaceIsTakenAndTheOldOneKeepsItsReadings() throws {
        let second = folder.file("second.sqlite")
        do {
            let other = try History(path: second)
            _ = try other.append(try (0..<3).map { try makeReading(tick: 100 + $0) }, durable: true)
        }
        nonisolated(unsafe) var notices: [String] = []
        let history = try History(path: path) { notices.append($0) }
        _ = try history.append(try (0..<10).map { try makeReading(tick: $0) }, durable: false)
        link(path, folder.file("first.sqlite"))
        rename(second, path)
        let stored = try history.append([try makeReading(tick: 500)], durable: false)
        #expect(stored.map(\.sequence) == [11])
        #expect(notices.count == 1)
        #expect(try ticks(path) == [100, 101, 102, 500])
        #expect(try ticks(folder.file("first.sqlite")) == Array(0..<10))
    }
}
