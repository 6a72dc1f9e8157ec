import BlekeepOutputs
import BlekeepRecords
import Foundation
import SampleReadings
import Testing

@testable import BlekeepHistory

struct HistoryTailTests {
    private func ticks(_ tail: inout HistoryTail) throws -> [Int] { try tail.next().map(\.reading.tick) }

    private func readings(_ ticks: ClosedRange<Int>, _ device: String = "greenhouse") throws -> [Reading] {
        try ticks.map { tick in
            try makeReading(
                device: device, time: someTime + Int64(tick), tick: tick,
                address: device == "greenhouse" ? "F0:00:00:00:00:01" : "F0:00:00:00:00:02")
        }
    }

    @Test func storedReadingsComeFirstAndNewOnesOnce() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("history.sqlite")
        let history = try History(path: path)
        _ = try history.append(try readings(1...600), durable: false)
        var tail = HistoryTail(HistoryQuery(), path: path)
        #expect(try ticks(&tail) == Array(1...256))
        #expect(try ticks(&tail) == Array(257...512))
        #expect(try ticks(&tail) == Array(513...600))
        #expect(try ticks(&tail) == [])
        _ = try history.append(try readings(601...602), durable: false)
        #expect(try ticks(&tail) == [601, 602])
        #expect(try ticks(&tail) == [])
    }

    @Test func otherDevicesArePassedOver() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("history.sqlite")
        let history = try History(path: path)
        var tail = HistoryTail(HistoryQuery(device: DeviceID("f00000000002")), path: path)
        for round in 0..<3 {
            _ = try history.append(try readings(1...300), durable: false)
            _ = try history.append(try readings(round...round, "attic"), durable: false)
            #expect(try ticks(&tail) == [round])
        }
        #expect(try ticks(&tail) == [])
    }

    @Test func aRestartedPollerGoesOn() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("history.sqlite")
        var history = try History(path: path)
        var tail = HistoryTail(HistoryQuery(), path: path)
        _ = try history.append(try readings(1...2), durable: false)
        #expect(try ticks(&tail) == [1, 2])
        history.close()
        history = try History(path: path)
        _ = try history.append(try readings(3...3), durable: false)
        #expect(try ticks(&tail) == [3])
    }

    @Test func newReadingsCountWhateverTheirTimesAre() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("history.sqlite")
        let history = try History(path: path)
        _ = try history.append(try readings(1...9), durable: false)
        var tail = HistoryTail(HistoryQuery(since: someTime + 5), path: path)
        #expect(try ticks(&tail) == [5, 6, 7, 8, 9])
        // The clock was set back.
        _ = try history.append(try readings(2...4), durable: false)
        #expect(try ticks(&tail) == [2, 3, 4])
        #expect(try ticks(&tail) == [])
    }

    @Test func anUpkeepThatRemovesReadingsMeanwhileLeavesTheNewOnes() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("history.sqlite")
        var limits = HistoryLimits(HistoryConfiguration(reserve: 0))
        limits.size = 256 << 10
        let history = try History(path: path, limits: limits)
        var tail = HistoryTail(HistoryQuery(), path: path)
        for start in stride(from: 0, to: 15_000, by: 100) {
            _ = try history.append(try readings(start...start + 99), durable: false)
            #expect(try ticks(&tail) == Array(start...start + 99))
            while history.needsUpkeep { try history.upkeep() }
        }
        let oldest = try HistoryReader(path: path).page(HistoryQuery(), after: 0, limit: 1).first
        #expect(try #require(oldest?.reading.tick) > 1000)
        // All that was returned is gone.
        _ = try history.remove(through: 15_000)
        #expect(try ticks(&tail) == [])
        _ = try history.append(try readings(15_000...15_001), durable: false)
        #expect(try ticks(&tail) == [15_000, 15_001])
    }

    @Test func correctedTimesBringNothingBack() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("history.sqlite")
        let history = try History(path: path)
        func changes(_ isSet: Bool, at seconds: Int, time: Int64) -> LedgerChanges {
            var changes = LedgerChanges()
            changes.clocks = ClockReading(
                boot: "first", sinceBoot: .seconds(seconds), awake: .seconds(seconds), time: time,
                isSynchronized: isSet)
            return changes
        }
        _ = try history.append(try readings(1...3), nil, changes(false, at: 10, time: someTime), durable: false)
        var tail = HistoryTail(HistoryQuery(), path: path)
        #expect(try ticks(&tail) == [1, 2, 3])
        let later = someTime + 86_400_000
        _ = try history.append(try readings(4...4), nil, changes(true, at: 20, time: later), durable: false)
        while history.needsUpkeep { try history.upkeep() }
        #expect(try HistoryReader(path: path).page(HistoryQuery(), after: 0, limit: 1)[0].reading.time > someTime + 1)
        #expect(try ticks(&tail) == [4])
    }

    // MARK: Other files

    private static let ends = ["", "-wal", "-shm"]

    private func remove(_ path: String) {
        for end in Self.ends { try? FileManager.default.removeItem(atPath: path + end) }
    }

    private func move(_ from: String, _ to: String, _ move: (String, String) throws -> Void) throws {
        for end in Self.ends where FileManager.default.fileExists(atPath: from + end) { try move(from + end, to + end) }
    }

    @Test(arguments: [8...11, 1...9, 1...600])
    func anotherHistoryInItsPlaceIsReadFromItsStart(news: ClosedRange<Int>) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("history.sqlite")
        let history = try History(path: path)
        _ = try history.append(try readings(1...9), durable: false)
        var tail = HistoryTail(HistoryQuery(), path: path)
        #expect(try ticks(&tail) == Array(1...9))
        history.close()
        remove(path)
        #expect(throws: HistoryError.missing(path: path)) { try tail.next() }
        let other = try History(path: path)
        // The numbers may have overtaken those of the old history, and the clock may have been set back.
        let readings = try readings(news).map { reading in
            var reading = reading
            reading.time -= 3_600_000
            return reading
        }
        _ = try other.append(readings, durable: false)
        #expect(try ticks(&tail) == Array(news.prefix(256)))
        while case let more = try ticks(&tail), !more.isEmpty { #expect(more[0] > news.lowerBound) }
        _ = try other.append(try self.readings(601...601), durable: false)
        #expect(try ticks(&tail) == [601])
    }

    @Test func anOlderCopyInItsPlaceGivesOnlyWhatItGetsLater() throws {
        let folder = try TemporaryFolder()
        let (path, copy) = (folder.file("history.sqlite"), folder.file("copy.sqlite"))
        var history = try History(path: path)
        _ = try history.append(try readings(1...5), durable: true)
        var tail = HistoryTail(HistoryQuery(), path: path)
        #expect(try ticks(&tail) == Array(1...5))
        history.close()
        try move(path, copy, FileManager.default.copyItem)
        history = try History(path: path)
        _ = try history.append(try readings(6...9), durable: true)
        #expect(try ticks(&tail) == Array(6...9))
        history.close()
        remove(path)
        try move(copy, path, FileManager.default.moveItem)
        #expect(try ticks(&tail) == [])
        let other = try History(path: path)
        _ = try other.append(try readings(20...21), durable: false)
        #expect(try ticks(&tail) == [20, 21])
        #expect(try ticks(&tail) == [])
    }
}
