import Foundation
import Testing

@testable import BlekeepHistory

@Suite struct HistoryWatchTests {
    private func withPath(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appending(path: "history.sqlite").path(percentEncoded: false))
    }

    private func setAge(of path: String, seconds: Double) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: "\(path).watch")
    }

    @Test func aLookIsSeenForAWhile() throws {
        try withPath { path in
            #expect(!HistoryWatch.isFresh(path))
            HistoryWatch.look(at: path)
            #expect(HistoryWatch.isFresh(path))
            for (age, isFresh) in [(10.0, true), (20, false), (86_400, false), (-3600, false)] {
                try setAge(of: path, seconds: age)
                #expect(HistoryWatch.isFresh(path) == isFresh, "\(age)")
            }
            HistoryWatch.look(at: path)
            #expect(HistoryWatch.isFresh(path))
        }
    }

    @Test func whoMayNotWriteLooksUnnoticed() {
        HistoryWatch.look(at: "/proc/nowhere/history.sqlite")
        #expect(!HistoryWatch.isFresh("/proc/nowhere/history.sqlite"))
    }
}
