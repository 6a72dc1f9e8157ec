import Blekeep
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
        var tail = HistoryTail(HistoryQuery(device: "attic"), path: path)
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

    @Test func aNewHistoryInItsPlaceIsReadFromItsStartWithoutOlderReadings() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("history.sqlite")
        let history = try History(path: path)
        _ = try history.append(try readings(1...9), durable: false)
        var tail = HistoryTail(HistoryQuery(), path: path)
        #expect(try ticks(&tail) == Array(1...9))
        history.close()
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
        #expect(throws: HistoryError.missing(path: path)) { try tail.next() }
        let other = try History(path: path)
        _ = try other.append(try readings(8...11), durable: false)
        #expect(try ticks(&tail) == [10, 11])
        #expect(try ticks(&tail) == [])
    }
}
