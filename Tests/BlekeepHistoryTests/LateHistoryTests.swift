import BlekeepRecords
import Foundation
import GRDB
import SampleReadings
import Testing

@testable import BlekeepHistory

/// Histories that can't be opened at the start, and can later.
@Suite struct LateHistoryTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
    }

    @Test func aDatabaseThatAnotherProgramHoldsIsOpenedLater() throws {
        do {
            let first = try History(path: path)
            _ = try first.append([try makeReading(tick: 1)], durable: true)
        }
        var configuration = GRDB.Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: path, configuration: configuration)
        try other.writeWithoutTransaction { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE") }
        #expect(throws: HistoryError.busy(path: path)) { _ = try History(path: path) }
        let history = try History(path: path, waits: true) { Issue.record("\($0)") }
        for _ in 0..<2 {
            #expect(throws: HistoryError.busy(path: path)) {
                _ = try history.append([try makeReading()], durable: true)
            }
            #expect(throws: HistoryError.busy(path: path)) { _ = try history.lastKnown() }
        }
        // It has the lock already.
        #expect(throws: HistoryError.inUse(path: path, pid: getpid())) { _ = try History(path: path, waits: true) }
        try other.close()
        #expect(try history.append([try makeReading(tick: 2)], durable: true).map(\.sequence) == [2])
        var ticks: [Int] = []
        try HistoryReader(path: path).readings { ticks.append($0.reading.tick) }
        #expect(ticks == [1, 2])
        history.close()
        #expect(throws: HistoryError.self) { _ = try history.append([try makeReading()], durable: true) }
    }

    /// Makes the fourth damage at a start.
    private func damage() throws -> [String] {
        try History(path: path).close()
        for number in 1...3 { try Data().write(to: URL(fileURLWithPath: "\(path).corrupt.\(number)")) }
        try Data(repeating: 7, count: 8192).write(to: URL(fileURLWithPath: path))
        return HistoryCopies.all(of: path).map(\.path)
    }

    /// Sinks then wait for the positions that may come from it.
    @Test func aDamagedHistoryThatIsReadFirstIsCopied() throws {
        let copies = try damage()
        let history = try History(path: path, waits: true)
        #expect(!history.isCopying)
        unlink(copies[1])
        _ = try history.lastKnown()
        #expect(history.isCopying)
        // Also on a machine so slow that a step copies one page.
        var steps = 0
        while history.isCopying, steps < 1000 {
            try history.upkeep(slice: .zero)
            steps += 1
        }
        #expect(!history.isCopying)
    }

    /// The readings wait in memory.
    @Test func aHistoryIsReplacedAfterTheUserRemovedOldCopies() throws {
        let copies = try damage()
        let reason = HistoryError.notReplaced(path: path, copies: copies)
        #expect(throws: reason) { _ = try History(path: path) }
        let history = try History(path: path, waits: true)
        #expect(throws: reason) { _ = try history.append([try makeReading()], durable: true) }
        for copy in copies { #expect(reason.description.contains(copy)) }
        unlink(copies[1])
        #expect(try history.append([try makeReading()], durable: true).count == 1)
    }

    @Test func reportsErrorsThatNeedTheUserAtOnce() throws {
        try "words".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(throws: HistoryError.notAHistory(path: path)) { _ = try History(path: path, waits: true) }
        unlink(path)
        #expect(throws: HistoryError.self) { _ = try History(path: "/dev/null/h.sqlite", waits: true) }
        let first = folder.file("first.sqlite")
        let holder = try History(path: first)
        #expect(throws: HistoryError.inUse(path: first, pid: getpid())) { _ = try History(path: first, waits: true) }
        holder.close()
    }

    @Test func distinguishesTemporaryFromPermanentErrors() {
        let passing: [HistoryError] = [
            .diskFull(path: ""), .diskFails(path: ""), .readOnly(path: ""), .busy(path: ""),
            .notReplaced(path: "", copies: []),
        ]
        let staying: [HistoryError] = [
            .inUse(path: "", pid: nil), .missing(path: ""), .noPermission(path: ""), .notAHistory(path: ""),
            .otherVersion(path: ""), .outdated(path: ""), .failed(path: "", reason: ""),
        ]
        #expect(passing.allSatisfy { $0.isPassing })
        #expect(!staying.contains { $0.isPassing })
    }
}
