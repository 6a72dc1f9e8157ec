import BlekeepRecords
import Foundation
import GRDB
import SampleReadings
import Testing

@testable import BlekeepHistory

/// A machine whose clock is set some time after its start.
@Suite struct ClockLogTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
    }

    private static let past: Int64 = 1_000_000_000_000

    /// - Parameters:
    ///   - seconds: since the machine was started.
    ///   - start: what the clock takes for the time of the start.
    private func append(
        _ history: History, _ boot: String, _ seconds: Int64, start: Int64, isSet: Bool?, count: Int = 1
    ) throws {
        var changes = LedgerChanges()
        let time = start + seconds * 1000
        changes.clocks = ClockReading(
            boot: boot, sinceBoot: .seconds(seconds), awake: .seconds(seconds), time: time, isSynchronized: isSet)
        let readings = try (0..<count).map { try makeReading(makeValue(.integer(Int64($0))), time: time) }
        _ = try history.append(readings, nil, changes, durable: false)
    }

    private func all() throws -> [Reading] {
        var readings: [Reading] = []
        try HistoryReader(path: path).readings { readings.append($0.reading) }
        return readings
    }

    private func finish(_ history: History) throws { while history.needsUpkeep { try history.upkeep() } }

    private func rolled() throws -> Int64 { try HistoryReader(path: path).database(Roller.rolled) }

    @Test func timesAreCorrectedWhenTheClockIsSetBeforeTheRollups() throws {
        let history = try History(path: path)
        try append(history, "first", 10, start: Self.past, isSet: false, count: 1000)
        try append(history, "first", 20, start: Self.past, isSet: false, count: 1000)
        #expect(try all().allSatisfy { !$0.isClockSet })
        try finish(history)
        #expect(try rolled() == 0)
        try append(history, "first", 30, start: someTime, isSet: true)
        try finish(history)
        #expect(
            try all().map(\.time).reduce(into: Set()) { $0.insert($1) } == [
                someTime + 10_000, someTime + 20_000, someTime + 30_000,
            ])
        #expect(try all().allSatisfy(\.isClockSet))
        #expect(try rolled() == 2001)
        var starts: Set<Int64> = []
        try HistoryReader(path: path).summaries(every: .hour) { starts.insert($0.start) }
        #expect(starts == [someTime / 3_600_000 * 3_600_000])
    }

    @Test func aClockThatWasMovedByHandBeforeItWasSetCountsFromThenOn() throws {
        let history = try History(path: path)
        try append(history, "first", 10, start: Self.past, isSet: false)
        try append(history, "first", 20, start: Self.past + 5_000_000, isSet: false)
        try append(history, "first", 30, start: someTime, isSet: true)
        try finish(history)
        #expect(try all().map(\.time) == [someTime + 10_000, someTime + 20_000, someTime + 30_000])
    }

    @Test func whatCameBeforeAnotherStartStaysAsItIsAndIsMarked() throws {
        var history: History? = try History(path: path)
        try append(#require(history), "first", 10, start: Self.past, isSet: false)
        history = nil
        history = try History(path: path)
        try append(#require(history), "second", 10, start: Self.past, isSet: false)
        try append(#require(history), "second", 20, start: someTime, isSet: true)
        try finish(#require(history))
        #expect(try all().map(\.time) == [Self.past + 10_000, someTime + 10_000, someTime + 20_000])
        #expect(try all().map(\.isClockSet) == [false, true, true])
        #expect(try rolled() == 3)
    }

    @Test func blekeepWaitsForTheClockForADayAtMost() throws {
        let history = try History(path: path)
        try append(history, "first", 10, start: Self.past, isSet: false)
        try append(history, "first", 86_500, start: Self.past, isSet: false)
        try finish(history)
        #expect(try rolled() == 2)
        try append(history, "first", 86_600, start: someTime, isSet: true)
        try finish(history)
        #expect(try all().map(\.isClockSet) == [false, false, true])
        #expect(try all().map(\.time).first == Self.past + 10_000)
    }

    @Test func aClockThatGoesBackAndForthLosesAndRepeatsNothing() throws {
        let history = try History(path: path)
        for step in 0..<50 {
            let start = step.isMultiple(of: 2) ? someTime : someTime - 86_400_000 * 400
            try append(history, "first", Int64(step), start: start, isSet: step % 3 == 0 ? nil : true)
        }
        try finish(history)
        #expect(try all().count == 50)
        var count: Int64 = 0
        try HistoryReader(path: path).summaries(every: .fiveMinutes) { count += $0.count }
        #expect(count == 50)
    }

    @Test func aStartGoesOnInTheMiddleOfACorrection() throws {
        var history: History? = try History(path: path)
        try append(#require(history), "first", 10, start: Self.past, isSet: false, count: 5000)
        try append(#require(history), "first", 20, start: someTime, isSet: true)
        history = nil
        // Where a step may have ended, when the program is killed.
        try DatabaseQueue(path: path).write { database in
            let shift = someTime - Self.past
            try database.execute(
                sql: """
                    UPDATE measurements SET time_ms = time_ms + \(shift) WHERE seq <= 700;
                    UPDATE clocks SET fixed = 700 WHERE first = 1;
                    """)
        }
        #expect(try all().prefix(701).map(\.isClockSet) == Array(repeating: true, count: 700) + [false])
        history = try History(path: path)
        try finish(#require(history))
        #expect(Set(try all().map(\.time)) == [someTime + 10_000, someTime + 20_000])
    }
}
