import BlekeepRecords
import Foundation
import GRDB
import SampleReadings
import Testing

@testable import BlekeepHistory

/// What stays of readings in five minutes and in an hour.
@Suite struct RollupTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
    }

    /// Three devices' readings over some hours, with failures, text, special values and a clock that jumps.
    static func makeReadings(_ count: Int) throws -> [Reading] {
        var generator = SystemRandomNumberGenerator()
        let raw: [UInt8] = [0x91, 0x08]
        return try (0..<count).map { index in
            let jump: Int64 = index > count / 2 && index < count / 2 + 50 ? -86_400_000 * 365 * 30 : 0
            let time = someTime + Int64(index) * 7_000 + jump
            let address = "F0:00:00:00:00:0\(index % 3)"
            let outcome: Reading.Outcome =
                switch Int.random(in: 0..<10, using: &generator) {
                case 0: makeFailure(code: "timeout")
                case 1: makeValue(.text("state \(index % 4)"), field: "mode", unit: nil, raw: raw)
                case 2: makeValue(nil, state: "unknown")
                case 3: makeValue(.integer(Int64(index)), field: "count", unit: nil)
                case 4: makeValue(.boolean(index.isMultiple(of: 2)), field: "open", unit: nil)
                default: makeValue(.number(Double(Int.random(in: -160..<240, using: &generator)) / 4))
                }
            return try makeReading(outcome, device: "device \(index % 3)", time: time, address: address)
        }
    }

    private func summaries(_ query: HistoryQuery = HistoryQuery(), every period: Summary.Period) throws -> [Summary] {
        var all: [Summary] = []
        try HistoryReader(path: path).summaries(query, every: period) { all.append($0) }
        return all
    }

    /// The same by plain counting.
    private func recount(_ readings: [Reading], every period: Summary.Period) -> [Summary] {
        struct Key: Hashable {
            var series: StoredSeriesKey
            var start: Int64
        }
        var groups: [Key: [Reading]] = [:]
        for reading in readings {
            if case .value(let measurement, _) = reading.outcome, measurement.value == nil { continue }
            let start = Int64((Double(reading.time) / Double(period.milliseconds)).rounded(.down))
            groups[Key(series: Series(reading).key, start: start), default: []].append(reading)
        }
        return groups.map { key, readings in
            var numbers: [Double] = []
            var last: MeasuredValue?
            for reading in readings {
                switch reading.outcome {
                case .value(let measurement, _):
                    last = measurement.value
                    if case .number(let number)? = last { numbers.append(number) }
                    if case .integer(let number)? = last { numbers.append(Double(number)) }
                case .failure(let failure, _): last = .text(failure.code.rawValue)
                }
            }
            let first = readings[0]
            return Summary(
                start: key.start * period.milliseconds, period: period, id: first.id, device: first.device,
                address: first.address, key: key.series.series, name: first.name, count: Int64(readings.count),
                minimum: numbers.min(), mean: numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count),
                maximum: numbers.max(), last: last)
        }
    }

    private func finishUpkeep(_ history: History) throws {
        while history.needsUpkeep { try history.upkeep() }
    }

    @Test(arguments: Summary.Period.allCases)
    func rollupsAreWhatCountingTheReadingsGives(_ period: Summary.Period) throws {
        let readings = try Self.makeReadings(3000)
        let history = try History(path: path)
        for start in stride(from: 0, to: readings.count, by: 300) {
            _ = try history.append(Array(readings[start..<start + 300]), durable: false)
            // Quarters add up to the same in any order. Some are in the rollups, some are not yet.
            if start == 600 || start == 1500 { try finishUpkeep(history) }
            let all = try summaries(every: period)
            #expect(Set(all).symmetricDifference(recount(Array(readings[..<(start + 300)]), every: period)).isEmpty)
        }
        let all = try summaries(every: period)
        #expect(all.map(\.start) == all.map(\.start).sorted())
        try finishUpkeep(history)
    }

    /// Windows are the same as counting the readings, also where they begin at half an hour or a quarter of UTC.
    @Test(arguments: [300, 1500, 3600, 7200, 86_400], [5400, 20_700])
    func windowsAreWhatCountingTheReadingsGives(seconds: Int64, ahead: Int) throws {
        let readings = try Self.makeReadings(3000)
        let history = try History(path: path)
        _ = try history.append(Array(readings[..<2500]), durable: false)
        try finishUpkeep(history)
        _ = try history.append(Array(readings[2500...]), durable: false)
        let windows = try #require(SummaryWindows(.seconds(seconds)) { _ in ahead })
        let all = try summaries(in: windows)
        #expect(all.map(\.start) == all.map(\.start).sorted())
        #expect(all.allSatisfy { $0.milliseconds == seconds * 1000 })
        let counted = recount(readings, in: windows)
        #expect(Dictionary(grouping: all) { Place($0) }.allSatisfy { $1.count == 1 })
        #expect(all.count == counted.count)
        for summary in all {
            let (count, sum) = try #require(counted[Place(summary)])
            #expect(summary.count == count && abs((summary.mean ?? 0) * Double(count) - sum) < 1e-6)
        }
    }

    private func summaries(_ query: HistoryQuery = HistoryQuery(), in windows: SummaryWindows) throws -> [Summary] {
        var all: [Summary] = []
        try HistoryReader(path: path).summaries(query, in: windows) { all.append($0) }
        return all
    }

    /// A window with most of an hour takes its summary, if the five minutes have made room. It takes all or none.
    @Test(arguments: [SampleZone.kolkata, .kathmandu], [3600, 21_600, 86_400])
    func windowsTakeAnHourThatTheySplitIfOnlyItIsKept(zone: SampleZone, seconds: Int64) throws {
        let first: Int64 = 1_795_132_800_000  // 2026-11-20
        let readings = try (0..<1000).map { index in
            let address = "F0:00:00:00:00:0\(index % 2)"
            return try makeReading(makeValue(.integer(1)), time: first + Int64(index) * 300_000, address: address)
        }
        let history = try History(path: path)
        _ = try history.append(readings, durable: false)
        try finishUpkeep(history)
        _ = try history.remove(through: 990)
        history.close()
        // Of one device those before 2026-11-21T18:00Z, of the other those of an hour more.
        try DatabaseQueue(path: path).write { database in
            let hour = (first + 42 * 3_600_000) / 3_600_000
            try database.execute(
                sql: """
                    DELETE FROM rollups
                    WHERE minutes = 5 AND period < ? + (series = (SELECT max(series) FROM rollups))
                    """, arguments: [hour])
        }
        let windows = try #require(SummaryWindows(.seconds(seconds), offset: zone.offset))
        let all = try summaries(in: windows)
        #expect(all.map(\.count).reduce(0, +) == 1000)
        #expect(Dictionary(grouping: all) { Place($0) }.allSatisfy { $1.count == 1 })
        #expect(all.map(\.start) == all.map(\.start).sorted())
        // From the second day's midnight on, the five minutes are kept.
        let exact = recount(readings, in: windows).filter { $0.key.start > first + 43 * 3_600_000 }
        #expect(!exact.isEmpty)
        for summary in all where summary.start > first + 43 * 3_600_000 {
            #expect(exact[Place(summary)]?.0 == summary.count)
        }
        for limit in [first, first + 42 * 3_600_000, first + 50 * 3_600_000] {
            let before = HistoryQuery(until: windows.window(of: limit).lowerBound - 1)
            #expect(try summaries(before, in: windows) + summaries(HistoryQuery(since: limit), in: windows) == all)
        }
    }

    private struct Place: Hashable {
        var start: Int64
        var device: DeviceID
        var field: String?

        init(start: Int64, device: DeviceID, field: String?) {
            (self.start, self.device, self.field) = (start, device, field)
        }

        init(_ summary: Summary) { self.init(start: summary.start, device: summary.id, field: summary.key.field) }
    }

    private func recount(_ readings: [Reading], in windows: SummaryWindows) -> [Place: (Int64, Double)] {
        readings.reduce(into: [:]) { counts, reading in
            var (field, number): (String?, Double) = (nil, 0)
            if case .value(let measurement, _) = reading.outcome {
                guard let value = measurement.value else { return }
                (field, number) = (measurement.field, value.plottedNumber ?? 0)
            }
            let start = windows.window(of: reading.time).lowerBound
            let place = Place(start: start, device: reading.id, field: field)
            let old = counts[place] ?? (0, 0)
            counts[place] = (old.0 + 1, old.1 + number)
        }
    }

    @Test func windowsBeginAtLocalMidnight() throws {
        let day = try #require(SummaryWindows(.seconds(86_400)) { _ in 3600 })
        // 2026-11-20T22:59Z is 23:59 there, and 23:00Z the next day.
        let midnight: Int64 = 1_795_215_600_000
        #expect(day.window(of: midnight - 60_000).upperBound == midnight - 1)
        #expect(day.window(of: midnight) == midnight...midnight + 86_399_999)
        #expect(day.window(of: -1).contains(-1))
        for length: Duration in [.seconds(60), .seconds(420), .milliseconds(300_500), .zero, .seconds(-300)] {
            #expect(SummaryWindows(length) { _ in 0 } == nil)
        }
        #expect(SummaryWindows(.seconds(367 * 86_400)) { _ in 0 } == nil)
    }

    /// 5m to 366 days.
    private static let lengths: [Int64] = [
        5, 10, 20, 30, 45, 60, 90, 120, 180, 240, 360, 420, 480, 720, 1440, 2160, 2880, 10_080, 527_040,
    ]

    /// Every time is in one window, and every window is a window of the local clock.
    @Test(arguments: SampleZone.all, lengths)
    func windowsFollowEachOther(zone: SampleZone, minutes: Int64) throws {
        let windows = try #require(SummaryWindows(.seconds(minutes * 60), offset: zone.offset))
        let length = minutes * 60_000
        for change in zone.changes.map(\.time) + [someTime] {
            var window = windows.window(of: change - 3 * length)
            var (wrong, others) = ([Int64](), 0)
            for _ in 0..<(6 + 500 / minutes) {
                let (first, last, size) = (window.lowerBound, window.upperBound, Int64(window.count))
                let times = [first, last, first + size / 3, change].filter(window.contains)
                let next = windows.window(of: last + 1)
                // Where the clock shows an hour twice, windows of some lengths begin again.
                let isAtChange = (change...change + 3_600_000 + length).contains(first)
                let start = UTCTime.local(first, offset: zone.offset)
                let isRight =
                    times.allSatisfy { windows.window(of: $0) == window } && next.lowerBound == last + 1
                    && size < 2 * length && (minutes == 5 || isAtChange || start.isMultiple(of: length))
                if !isRight { wrong.append(first) }
                others += size == length ? 0 : 1
                window = next
            }
            #expect(wrong.isEmpty && others <= 2)
        }
    }

    private static let changes: [(zone: SampleZone, change: Int, hours: Double, lengths: [Double])] = [
        (.berlin, 0, 24, [24, 23, 24]), (.berlin, 1, 24, [24, 25, 24]), (.berlin, 0, 6, [6, 5, 6]),
        (.berlin, 1, 6, [6, 7, 6]), (.berlin, 1, 2, [2, 3, 2]), (.berlin, 1, 1, [1, 1, 1, 1]),
        (.berlin, 0, 1, [1, 1, 1]),
        (.berlin, 1, 36, [37, 36]), (.berlin, 1, 168, [169, 168]), (.lordHowe, 0, 24, [24, 24.5, 24]),
        (.lordHowe, 1, 24, [24, 23.5, 24]), (.lordHowe, 0, 1, [1, 1.5, 1]), (.lordHowe, 0, 0.5, [0.5, 0.5, 0.5]),
        (.havana, 0, 24, [24, 23]), (.havana, 1, 24, [24, 25, 24]), (.saoPaulo, 0, 24, [25, 24]),
        (.saoPaulo, 1, 24, [24, 23]), (.stJohns, 0, 24, [24, 23, 24]), (.stJohns, 1, 24, [24, 25, 24]),
        (.apia, 0, 24, [24, 24, 24]), (.apia, 0, 48, [48, 24]),
    ]

    /// Three windows are those before, with and after the last moment before the change.
    @Test(arguments: changes)
    func theWindowWithTheChangeIsLongerOrShorter(
        zone: SampleZone, change: Int, hours: Double, lengths: [Double]
    ) throws {
        let windows = try #require(SummaryWindows(.seconds(hours * 3600), offset: zone.offset))
        var window = windows.window(of: zone.changes[change].time - 1)
        if lengths.count > 2 { window = windows.window(of: window.lowerBound - 1) }
        for length in lengths {
            #expect(Double(window.count) == length * 3_600_000, "\(UTCTime(milliseconds: window.lowerBound).iso)")
            window = windows.window(of: window.upperBound + 1)
        }
    }

    @Test func rollupsStayWhenTheReadingsHaveGone() throws {
        let readings = try Self.makeReadings(2000)
        let history = try History(path: path)
        _ = try history.append(readings, durable: false)
        try finishUpkeep(history)
        #expect(try history.remove(through: 1990) == 1990)
        #expect(Set(try summaries(every: .hour)) == Set(recount(readings, every: .hour)))
    }

    @Test func readingsAreInTheRollupsOnceAlsoWhenItIsLostHowFarTheyWereTaken() throws {
        let readings = try Self.makeReadings(2000)
        let history = try History(path: path)
        _ = try history.append(Array(readings[..<1000]), durable: false)
        try finishUpkeep(history)
        let bytes = "SELECT rollup_bytes FROM upkeep"
        let before = try HistoryReader(path: path).database { try Int64.fetchOne($0, sql: bytes) }
        history.close()
        try DatabaseQueue(path: path).write { try $0.execute(sql: "DELETE FROM upkeep") }
        let again = try History(path: path)
        #expect(try HistoryReader(path: path).database { try Int64.fetchOne($0, sql: bytes) } == before)
        _ = try again.append(Array(readings[1000...]), durable: false)
        try finishUpkeep(again)
        #expect(Set(try summaries(every: .hour)) == Set(recount(readings, every: .hour)))
    }

    @Test func summariesMatchTheQuery() throws {
        let readings = try Self.makeReadings(3000)
        let history = try History(path: path)
        _ = try history.append(readings, durable: false)
        try finishUpkeep(history)
        let day = HistoryQuery(
            device: DeviceID("f00000000001"), since: someTime + 3_600_000, until: someTime + 7_200_000)
        let wanted = recount(readings, every: .fiveMinutes).filter {
            $0.device == "device 1" && $0.start > someTime + 3_600_000 - 300_000 && $0.start <= someTime + 7_200_000
        }
        #expect(Set(try summaries(day, every: .fiveMinutes)) == Set(wanted))
        #expect(try summaries(HistoryQuery(device: DeviceID("nobody")), every: .hour).isEmpty)
        #expect(try summaries(HistoryQuery(characteristic: BluetoothUUID(0x2A19)), every: .hour).isEmpty)
    }

    @Test func aLongTextIsCutInARollup() throws {
        let history = try History(path: path)
        let text = String(repeating: "ü", count: 400)
        _ = try history.append([try makeReading(makeValue(.text(text), unit: nil))], durable: false)
        let last = try #require(try summaries(every: .hour).first?.last)
        guard case .text(let cut) = last else { throw Failure() }
        #expect(text.hasPrefix(String(cut.prefix(90))) && cut.utf8.count <= 200)
    }

    private struct Failure: Error {}

    @Test func aNewAliasDoesNotSplitASeries() throws {
        let history = try History(path: path)
        for (index, device) in ["attic", "cellar"].enumerated() {
            let reading = try makeReading(makeValue(.integer(Int64(index))), device: device, name: "name \(index)")
            _ = try history.append([reading], durable: false)
        }
        let all = try summaries(every: .hour)
        #expect(all.map(\.count) == [2])
        #expect(all.first?.device == "cellar" && all.first?.name == "name 1")
        var readings: [StoredReading] = []
        try HistoryReader(path: path).readings(HistoryQuery(device: DeviceID("f00000000001"))) { readings.append($0) }
        #expect(readings.map(\.reading.device) == ["cellar", "cellar"])
    }

    @Test func characteristicsOfTheSameUUIDAreSeriesOfTheirOwn() throws {
        let history = try History(path: path)
        var second = try makeReading(makeValue(.number(2)))
        second.instance = 2
        _ = try history.append([try makeReading(makeValue(.number(1))), second], durable: false)
        #expect(try summaries(every: .hour).map(\.key.source.instance) == [1, 2])
        #expect(try HistoryReader(path: path).latest().map(\.reading.instance) == [1, 2])
    }

    @Test func theNewestOfEachSeriesIsFoundInAndBesideTheRollups() throws {
        let readings = try Self.makeReadings(2000)
        let history = try History(path: path)
        let stored = try history.append(Array(readings.prefix(1500)), durable: false)
        try finishUpkeep(history)
        let later = try history.append(Array(readings.suffix(20)), durable: false)
        var newest: [StoredSeriesKey: StoredReading] = [:]
        for reading in stored + later { newest[Series(reading.reading).key] = reading }
        let wanted = newest.values.sorted { $0.sequence < $1.sequence }
        #expect(try HistoryReader(path: path).latest() == wanted)
    }
}
