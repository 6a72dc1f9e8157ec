import BlekeepOutputs
import BlekeepRecords
import Foundation
import GRDB
import SampleReadings
import Testing

@testable import BlekeepHistory

/// Copies of a history that a poller is writing.
@Suite struct HistoryBackupTests {
    let folder: TemporaryFolder
    let path: String
    let copy: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
        copy = folder.file("backup/history.sqlite")
        try FileManager.default.createDirectory(atPath: folder.file("backup"), withIntermediateDirectories: true)
    }

    private func sequences(_ path: String) throws -> [Int64] {
        var all: [Int64] = []
        try HistoryReader(path: path).readings { all.append($0.sequence) }
        return all
    }

    private var besideTheCopy: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.file("backup")) }
    }

    @Test func hasTheReadingsOfTheLogInOneFile() throws {
        let history = try History(path: path)
        _ = try history.append(try (0..<500).map { try makeReading(tick: $0) }, durable: false)
        try FileManager.default.copyItem(atPath: path, toPath: folder.file("cp.sqlite"))
        #expect(try HistoryReader(path: path).backUp(to: copy) == 500)
        _ = try history.append([try makeReading(tick: 500)], durable: false)
        #expect(try sequences(copy) == Array(1...500))
        #expect(try besideTheCopy == ["history.sqlite"])
        // The reason for the command: the file alone lacks what is in the log.
        #expect((try? sequences(folder.file("cp.sqlite"))) != Array(1...500))
    }

    @Test func aPollerGoesOnFromARestoredCopy() throws {
        do {
            let history = try History(path: path)
            _ = try history.append(try (0..<3).map { try makeReading(tick: $0) }, durable: false)
            _ = try HistoryReader(path: path).backUp(to: copy)
        }
        let restored = try History(path: copy)
        #expect(try restored.append([try makeReading(tick: 3)], durable: true).map(\.sequence) == [4])
        #expect(try sequences(copy) == Array(1...4))
    }

    @Test func replacesAnEarlierCopy() throws {
        let history = try History(path: path)
        for count in 1...2 {
            _ = try history.append([try makeReading()], durable: false)
            #expect(try HistoryReader(path: path).backUp(to: copy) == count)
        }
        #expect(try sequences(copy) == [1, 2])
    }

    @Test func keepsTheEarlierCopyWhenTheHistoryIsDamaged() throws {
        do {
            let history = try History(path: path)
            _ = try history.append(
                try (0..<5000).map { try makeReading(makeFailure("\($0)"), tick: $0) }, durable: true)
            _ = try HistoryReader(path: path).backUp(to: copy)
        }
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: try file.seekToEnd() / 2)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 20_000))
        try file.close()
        #expect(throws: HistoryError.damaged(path: path)) { _ = try HistoryReader(path: path).backUp(to: copy) }
        #expect(try sequences(copy).count == 5000)
        #expect(try besideTheCopy == ["history.sqlite"])
    }

    @Test func refusesAFileInUse() throws {
        let history = try History(path: path)
        _ = try history.append([try makeReading()], durable: false)
        try FileManager.default.createSymbolicLink(atPath: copy, withDestinationPath: path)
        let reader = try HistoryReader(path: path)
        for file in [path, copy] {
            let reason = "a program uses it; name another file for the backup"
            #expect(throws: HistoryError.failed(path: file, reason: reason)) { _ = try reader.backUp(to: file) }
        }
        #expect(try sequences(path) == [1])
    }

    @Test func refusesAnotherFileALinkAndAnotherProgramsDatabase() throws {
        let history = try History(path: path)
        _ = try history.append([try makeReading()], durable: false)
        let reader = try HistoryReader(path: path)
        let reason = "it is there already, and isn't a history; name another file for the backup"
        try "precious".write(toFile: copy, atomically: true, encoding: .utf8)
        #expect(throws: HistoryError.failed(path: copy, reason: reason)) { _ = try reader.backUp(to: copy) }
        #expect(try String(contentsOfFile: copy, encoding: .utf8) == "precious")
        try FileManager.default.removeItem(atPath: copy)
        let other = try DatabaseQueue(path: copy)
        try other.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        try other.close()
        #expect(throws: HistoryError.failed(path: copy, reason: reason)) { _ = try reader.backUp(to: copy) }
        try FileManager.default.removeItem(atPath: copy)
        let target = folder.file("target.sqlite")
        #expect(try reader.backUp(to: target) == 1)
        try FileManager.default.createSymbolicLink(atPath: copy, withDestinationPath: target)
        #expect(throws: UserError(writing: copy, "it isn't a plain file")) { _ = try reader.backUp(to: copy) }
        #expect(try besideTheCopy == ["history.sqlite"])
        // An empty file holds nothing.
        try FileManager.default.removeItem(atPath: copy)
        try "".write(toFile: copy, atomically: true, encoding: .utf8)
        #expect(try reader.backUp(to: copy) == 1)
    }

    /// What a killed one left, with SQLite's journal; that of a process that runs stays.
    @Test func removesWhatAKilledOneLeft() throws {
        let history = try History(path: path)
        _ = try history.append([try makeReading()], durable: false)
        let kept = "history.sqlite.part-1"
        for name in [
            "history.sqlite.part-99999999", "history.sqlite.part-99999999-journal", kept, "other.part-99999999",
        ] {
            try "x".write(toFile: folder.file("backup/\(name)"), atomically: true, encoding: .utf8)
        }
        #expect(try HistoryReader(path: path).backUp(to: copy) == 1)
        #expect(try besideTheCopy.sorted() == ["history.sqlite", kept, "other.part-99999999"])
    }

    /// Another poller's history, or one that a poller left behind. SQLite would apply the log to the copy.
    @Test func refusesAFileWithALog() throws {
        let history = try History(path: path)
        _ = try history.append([try makeReading()], durable: false)
        let other = try History(path: copy)
        _ = try other.append([try makeReading(), try makeReading()], durable: false)
        #expect(throws: HistoryError.self) { _ = try HistoryReader(path: path).backUp(to: copy) }
        #expect(try sequences(copy) == [1, 2])
    }
}
