import BlekeepRecords
import Foundation
import GRDB
import SampleReadings
import Testing

@testable import BlekeepHistory

/// Files that are no history, named as one.
@Suite struct ForeignFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func mode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    /// Also at the second start, when a lock file lies beside it.
    @Test func leavesAnotherFileAsItIs() throws {
        let path = folder.file("notes")
        let notes = Data("my notes\n".utf8)
        try notes.write(to: URL(fileURLWithPath: path))
        chmod(path, 0o644)
        for _ in 0..<3 {
            #expect(throws: HistoryError.notAHistory(path: path)) { try History(path: path, waits: true) }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == notes)
            #expect(try mode(path) == 0o644)
        }
    }

    @Test func leavesAnotherProgramsDatabaseAsItIs() throws {
        let path = folder.file("other.sqlite")
        try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE notes (text TEXT)") }
        chmod(path, 0o644)
        for _ in 0..<2 {
            #expect(throws: HistoryError.notAHistory(path: path)) { try History(path: path, waits: true) }
            #expect(try mode(path) == 0o644)
        }
    }

    /// A history that blekeep has opened is repaired when its header is smashed.
    @Test func knowsItsOwnHistoryByTheLockFile() throws {
        let path = folder.file("history.sqlite")
        _ = try History(path: path).append([try makeReading(tick: 1)], durable: true)
        try Data("my notes\n".utf8).write(to: URL(fileURLWithPath: path))
        let history = try History(path: path)
        #expect(try history.append([try makeReading(tick: 2)], durable: true).count == 1)
    }

    @Test func refusesAPipeAndADevice() throws {
        let pipe = folder.file("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [pipe, "/dev/null"] {
            #expect(throws: HistoryError.notAHistory(path: path)) { try History(path: path, waits: true) }
            #expect(throws: HistoryError.notAHistory(path: path)) { try HistoryReader(path: path) }
        }
        #expect(!FileManager.default.fileExists(atPath: "/dev/null.lock"))
    }

    /// Each name would have a lock and a log of its own.
    @Test func refusesAHistoryWithTwoNames() throws {
        let (path, second) = (folder.file("history.sqlite"), folder.file("second.sqlite"))
        let history = try History(path: path)
        #expect(link(path, second) == 0)
        for name in [second, path] {
            let error = #expect(throws: HistoryError.self) { try History(path: name, waits: true) }
            #expect(error?.description.contains("hard links") == true)
        }
        // The one that runs goes on.
        #expect(try history.append([try makeReading(tick: 1)], durable: true).count == 1)
        unlink(second)
        history.close()
        _ = try History(path: path)
    }
}
