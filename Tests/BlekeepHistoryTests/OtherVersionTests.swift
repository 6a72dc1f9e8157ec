import BlekeepRecords
import Foundation
import GRDB
import SampleReadings
import Testing

@testable import BlekeepHistory

/// A history with tables that this version doesn't know.
@Suite struct OtherVersionTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
        let history = try History(path: path)
        _ = try history.append(try (1...2000).map { try makeReading(tick: $0) }, durable: true)
    }

    private var bytes: Data { get throws { try Data(contentsOf: URL(fileURLWithPath: path)) } }

    private func setVersion(_ version: Int32) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = \(version)") }
        try queue.close()
    }

    private func isRefused() throws {
        let before = try bytes
        for waits in [false, true] {
            #expect(throws: HistoryError.otherVersion(path: path)) { try History(path: path, waits: waits) }
        }
        #expect(throws: HistoryError.otherVersion(path: path)) { try HistoryReader(path: path) }
        #expect(try bytes == before)
        #expect(HistoryCopies.all(of: path).isEmpty)
    }

    @Test(arguments: [0, -1, HistorySchema.version + 1, .max])
    func isRefusedAndStaysAsItIs(version: Int32) throws {
        try setVersion(version)
        try isRefused()
        // Nothing is lost: its own version reads it.
        try setVersion(HistorySchema.version)
        #expect(try History(path: path).append([try makeReading()], durable: true).map(\.sequence) == [2001])
    }

    @Test func isNotSalvagedWhenItIsDamaged() throws {
        try setVersion(HistorySchema.version + 1)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: file.seekToEnd() / 2)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 8192))
        try file.close()
        try isRefused()
    }

    @Test func theErrorSaysWhatHelps() {
        #expect(
            HistoryError.otherVersion(path: "h").description
                == "the history h was written by a newer version of blekeep; install that version again, or a later one; to "
                + "begin a new history instead, move the file away, or use another path")
    }

    @Test func aNewFileHasNoTablesYet() throws {
        let empty = folder.file("empty.sqlite")
        try Data().write(to: URL(fileURLWithPath: empty))
        #expect(throws: HistoryError.missing(path: empty)) { try HistoryReader(path: empty) }
    }
}
