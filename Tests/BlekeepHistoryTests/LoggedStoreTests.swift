import BlekeepOutputs
import BlekeepRecords
import Foundation
import GRDB
import SampleReadings
import Testing

@testable import BlekeepHistory

/// What devices kept in their own memory, in the history.
@Suite struct LoggedStoreTests {
    private let folder: TemporaryFolder
    private let path: String
    private static let address = BluetoothAddress(bits: 0xF000_0000_0001)
    private static let every: Duration = .seconds(300)
    /// A whole hour.
    private static let start: Int64 = 1_795_694_400_000

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
    }

    /// A value of the tag, this many minutes after the start.
    private func reading(
        _ minute: Int64, _ value: Double, field: String = "temperature", isLogged: Bool = false
    ) -> Reading {
        var reading = Reading(
            time: Self.start + minute * 60_000, tick: 0, device: "attic", address: Self.address, service: nil,
            characteristic: nil, name: "Ruuvi",
            outcome: .value(Measurement(field: field, value: .number(value), unit: "°C"), raw: isLogged ? [] : [5]))
        reading.isLogged = isLogged
        return reading
    }

    private func logged(
        _ minutes: [Int64], from: Int64, to: Int64, isComplete: Bool = true, value: (Int64) -> Double = { Double($0) }
    ) -> LoggedReadings {
        let request = Self.start + from * 60_000...Self.start + to * 60_000
        return LoggedReadings(
            id: DeviceID(Self.address), address: Self.address,
            readings: minutes.map { reading($0, value($0), isLogged: true) }, every: Self.every, request: request,
            answered: isComplete ? [request] : [])
    }

    @discardableResult
    private func append(_ logged: LoggedReadings, size: Int64 = 64 << 20) throws -> LoggedReadings.Outcome {
        try LoggedStore.append(logged, limits: HistoryLimits(HistoryConfiguration(size: size)), path: path)
    }

    private func joined(_ query: HistoryQuery = HistoryQuery()) throws -> [String] {
        var lines: [String] = []
        try HistoryReader(path: path).joined(query) { live in
            guard case .value(let measurement, _) = live.reading.outcome, case .number(let number)? = measurement.value
            else { return }
            let minute = (live.reading.time - Self.start) / 60_000
            lines.append(
                "\(minute):\(Int(number))\(live.reading.isLogged ? " logged" : "")\(live.sequence.map { " #\($0)" } ?? "")"
            )
        }
        return lines
    }

    /// A later time may come first.
    @Test func sinksGetValuesInTheOrderInWhichTheyCame() throws {
        let history = try History(path: path) { Issue.record("\($0)") }
        _ = try history.append([reading(0, 0)], durable: false)
        #expect(try history.lastLogged() == StoredReading.loggedBase)
        try append(logged([20, 25], from: 18, to: 26))
        try append(logged([5, 10, 20], from: 0, to: 26))
        let all = try history.logged(after: StoredReading.loggedBase, limit: 10)
        #expect(all.map { $0.sequence - StoredReading.loggedBase } == [1, 2, 3, 4])
        #expect(all.map { ($0.reading.time - Self.start) / 60_000 } == [20, 25, 5, 10])
        #expect(all.allSatisfy { $0.reading.isLogged && $0.reading.device == "attic" })
        #expect(try history.lastLogged() == all.last?.sequence)
        #expect(try history.logged(after: all[0].sequence, limit: 2) == Array(all[1...2]))
    }

    /// So that sinks neither miss one nor get one twice.
    @Test func aDamagedHistoryKeepsThemWithTheirNumbers() throws {
        let first = try History(path: path)
        _ = try first.append([reading(0, 0), reading(30, 30)], durable: true)
        try append(logged([10, 15], from: -10, to: 35))
        let all = try first.logged(after: StoredReading.loggedBase, limit: 10)
        first.close()
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 100))
        try file.close()
        let second = try History(path: path)
        // Before it is copied, so that it has the number of another one.
        try append(logged([20], from: 18, to: 22))
        while second.isCopying { try second.upkeep() }
        let kept = try second.logged(after: StoredReading.loggedBase, limit: 10)
        #expect(Set(kept.map(\.reading.time)) == Set(all.map(\.reading.time) + [reading(20, 20).time]))
        #expect(kept.count == 3 && all[1] == kept.first { $0.sequence == all[1].sequence })
        #expect(try append(logged([10, 15, 20], from: -10, to: 35)).stored == 0)
    }

    @Test func loggedValuesComeAmongTheOthersAndOnce() throws {
        let history = try History(path: path) { Issue.record("\($0)") }
        _ = try history.append([reading(0, 0), reading(30, 30)], durable: false)
        let outcome = try append(logged([-2, 5, 10, 29], from: -10, to: 35))
        #expect(outcome.stored == 2 && outcome.live == 2 && !outcome.isReset)
        let all = ["0:0 #1", "5:5 logged", "10:10 logged", "30:30 #2"]
        #expect(try joined() == all)
        // The same download again, a second later.
        var again = logged([5, 10], from: -10, to: 35)
        for index in again.readings.indices { again.readings[index].time += 1000 }
        let second = try append(again)
        #expect(second.stored == 0 && second.known == 2 && second.differing == 0)
        #expect(try joined() == all)
        let other = try append(logged([5], from: 0, to: 35) { _ in 99 })
        #expect(other.differing == 1)
        var query = HistoryQuery()
        query.since = Self.start + 6 * 60_000
        #expect(try joined(query) == Array(all.dropFirst(2)))
        query.devices = [DeviceID(BluetoothAddress(bits: 2))]
        #expect(try joined(query) == [])
    }

    @Test func theNewestValueAndTheNumbersStayAsTheyWere() throws {
        let history = try History(path: path) { Issue.record("\($0)") }
        _ = try history.append([reading(0, 0)], durable: false)
        try append(logged([5, 10], from: 0, to: 15))
        let reader = try HistoryReader(path: path)
        #expect(try reader.latest().map(\.reading.time) == [Self.start] && reader.lastSequence() == 1)
        #expect(try history.append([reading(20, 20)], durable: true).map(\.sequence) == [2])
        #expect(try reader.latest().map(\.sequence) == [2])
        var numbers: [Int64] = []
        try reader.readings { numbers.append($0.sequence) }
        #expect(numbers == [1, 2])
        while history.needsUpkeep { try history.upkeep() }
        #expect(try joined() == ["0:0 #1", "5:5 logged", "10:10 logged", "20:20 #2"])
    }

    /// More than a page, and values of one time in several series.
    @Test func pagesLoseNoValue() throws {
        let history = try History(path: path)
        _ = try history.append([reading(-1000, 0), reading(-1000, 0, field: "humidity")], durable: false)
        var all = logged((0..<300).map { $0 * 5 }, from: -10, to: 2000)
        all.readings += all.readings.map { reading in
            var reading = reading
            reading.outcome = .value(Measurement(field: "humidity", value: .number(1), unit: "°C"), raw: [])
            return reading
        }
        #expect(try append(all).stored == 600)
        #expect(try joined().count { $0.hasSuffix("logged") } == 600)
    }

    @Test func coverageKnowsBothAndWhatWasAsked() throws {
        let history = try History(path: path)
        _ = try history.append([reading(0, 0), reading(120, 0)], durable: false)
        func holes() throws -> [ClosedRange<Int64>] {
            try HistoryReader(path: path).logCoverages(
                of: DeviceID(Self.address), Self.address, reading(0, 0).source, fields: ["temperature"],
                since: Self.start,
                every: Self.every
            )[0].holes(in: Self.start...Self.start + 120 * 60_000).map { hole in
                (hole.lowerBound - Self.start) / 1000...(hole.upperBound - Self.start) / 1000
            }
        }
        #expect(try holes() == [150...7050])
        try append(logged([5, 10, 15], from: -10, to: 120, isComplete: false))
        #expect(try holes() == [1050...7050])
        try append(logged([60], from: 5, to: 120))
        #expect(try holes() == [])
    }

    @Test func aClearedMemoryBeginsANewStart() throws {
        _ = try History(path: path).append([reading(-100, 0)], durable: false)
        try append(logged([0, 5, 10], from: -10, to: 12))
        #expect(try append(logged([30, 35], from: 5, to: 36)).isReset)
        #expect(try append(logged([35, 40], from: 30, to: 41)).isReset == false)
        let rows = try HistoryReader(path: path).database { database in
            try Row.fetchAll(database, sql: "SELECT boot, count(*) FROM logged GROUP BY boot").map {
                [$0[0] as Int, $0[1]]
            }
        }
        #expect(rows == [[1, 3], [2, 3]])
    }

    @Test func theEarliestMakeRoom() throws {
        _ = try History(path: path).append([reading(-100, 0)], durable: false)
        let size = HistoryConfiguration.leastSize
        let room = size / LoggedStore.share / LoggedStore.bytes
        try append(logged((0..<room + 10).map { $0 * 5 }, from: -10, to: room * 6), size: size)
        let lines = try joined().filter { $0.hasSuffix("logged") }
        #expect(lines.count == Int(room) && lines.first?.hasPrefix("50:") == true)
    }

    @Test func theSummariesCountBothAndTheLastIsTheLastByTime() throws {
        let history = try History(path: path)
        _ = try history.append([reading(0, 10), reading(1, 11), reading(50, 20), reading(70, 5)], durable: false)
        try append(logged([10, 15, 55], from: -10, to: 100) { $0 == 55 ? 100 : 1 })
        func summaries() throws -> [[Double]] {
            var all: [[Double]] = []
            try HistoryReader(path: path).summaries(every: .hour) { summary in
                guard case .number(let last)? = summary.last else { return }
                all.append([Double(summary.count), summary.minimum ?? 0, summary.maximum ?? 0, last])
            }
            return all
        }
        let expected: [[Double]] = [[6, 1, 100, 100], [1, 5, 5, 5]]
        #expect(try summaries() == expected)
        while history.needsUpkeep { try history.upkeep() }
        #expect(try summaries() == expected)
        try append(logged([20, 130], from: 12, to: 140) { _ in 2 })
        #expect(try summaries() == [[7, 1, 100, 100], [1, 5, 5, 5], [1, 2, 2, 2]])
        var counts: [Int] = []
        try HistoryReader(path: path).times(HistoryQuery(), every: .hour) {
            counts.append($2); _ = ($0, $1)
        }
        #expect(counts == [1, 1, 1])
    }

    @Test func aSeriesThatHasOnlyLoggedValuesStays() throws {
        let history = try History(path: path)
        _ = try history.append([reading(0, 0)], durable: false)
        try append(logged([10], from: 0, to: 20))
        _ = try history.append(
            (0..<1200).map { number in
                reading(20, 1, field: "field\(number)")
            }, durable: false)
        while history.needsUpkeep { try history.upkeep() }
        _ = try history.remove(through: 1)
        #expect(try joined().contains("10:10 logged"))
    }

    @Test func itSaysWhatCameOfTheLastDownload() throws {
        _ = try History(path: path).append([reading(-100, 0)], durable: false)
        func time(_ minute: Int64) -> Int64 { Self.start + minute * 60_000 }
        func last() throws -> LastFilling? { try HistoryReader(path: path).fillings()[DeviceID(Self.address)] }
        #expect(try last() == nil)
        try append(logged([0, 5], from: -10, to: 100, isComplete: false))
        #expect(try last() == LastFilling(time: time(100), since: time(-10), stored: 2, isWhole: false))
        // The rest of it.
        try append(logged([5, 10, 15], from: 0, to: 101))
        #expect(try last() == LastFilling(time: time(101), since: time(-10), stored: 4, isWhole: true))
        try append(logged([200], from: 150, to: 201))
        #expect(try last() == LastFilling(time: time(201), since: time(150), stored: 1, isWhole: true))
        var query = HistoryQuery()
        (query.since, query.until) = (time(0), time(300))
        let reader = try HistoryReader(path: path)
        #expect(try reader.loggedTimes(query) == [time(0)...time(15), time(200)...time(200)])
        #expect(try reader.loggedCount(in: time(5)...time(15)) == 3)
        let plot = try reader.plotted(
            PlotSelection(device: DeviceID(Self.address), time: time(-120)...time(120), columns: 80))
        #expect(plot.logged == [time(0)...time(15)])
    }

    @Test func theStatusSaysWhenAMemoryWasAskedAndWhatWasMissing() {
        let device = DeviceID(Self.address)
        var report = StatusReport(
            poller: GatewayStatus(pid: 1, started: 0, seen: 0), devices: [], pid: 1, now: 10 * 3_600_000)
        #expect(report.fillingText(of: device) == nil)
        report.fillings = [device: nil]
        #expect(report.fillingText(of: device) == "not yet")
        var last = LastFilling(time: 8 * 3_600_000, since: 0, stored: 108, isWhole: true)
        report.fillings[device] = last
        #expect(report.fillingText(of: device) == "2h ago with 108 values of the 8h before")
        (last.stored, last.isWhole) = (0, false)
        report.fillings[device] = last
        #expect(report.fillingText(of: device) == "2h ago with nothing of the 8h before; the rest comes later")
        #expect(report.only([], of: []).fillings.isEmpty)
    }

    @Test func aHistoryThatIsNotThereIsAnError() throws {
        #expect(throws: HistoryError.missing(path: path)) { try append(logged([0], from: 0, to: 5)) }
    }
}
