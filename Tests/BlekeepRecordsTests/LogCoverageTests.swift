import RunLoop
import Testing

@testable import BlekeepRecords

/// Which times to ask a device's memory for, and that each record comes once.
@Suite struct LogCoverageTests {
    private static let minute: Int64 = 60_000
    private static let every: Duration = .seconds(300)

    private func holes(
        _ known: [Int64], asked: [ClosedRange<Int64>] = [], in minutes: ClosedRange<Int64> = 0...120, gap: Int64? = nil
    ) -> [ClosedRange<Int64>] {
        let ms = Self.minute
        return LogCoverage(
            every: Self.every, known: known.map { $0 * ms },
            asked: asked.map { $0.lowerBound * ms...$0.upperBound * ms }
        ).holes(in: minutes.lowerBound * ms...minutes.upperBound * ms, gap: gap.map { $0 * ms })
            .map { $0.lowerBound / ms...$0.upperBound / ms }
    }

    // MARK: Holes

    @Test func aTimeWithoutValuesIsAHole() {
        #expect(holes([]) == [0...120])
        #expect(holes(Array(stride(from: 0, through: 120, by: 5))) == [])
        // A little more than the interval is no hole.
        #expect(holes(Array(stride(from: 0, through: 119, by: 7))) == [])
        #expect(holes([0, 5, 10] + Array(stride(from: 60, through: 120, by: 5))) == [12...57])
        #expect(holes([60]) == [0...57, 62...120])
    }

    @Test func valuesBesideTheTimeCount() {
        #expect(holes([-3, 2, 7, 123], in: 0...10) == [])
        #expect(holes([-300, 300], in: 0...120) == [0...120])
    }

    @Test func whatWasAskedIsNoHole() {
        #expect(holes([0, 120], asked: [0...120]) == [])
        #expect(holes([0, 120], asked: [20...40, 41...60]) == [2...19, 60...117])
        // What is left has no room for a record.
        #expect(holes([0, 30], asked: [5...30], in: 0...30) == [])
    }

    @Test func shortGapsCountOnlyIfAsked() {
        #expect(holes([0, 10, 50, 60], in: 0...60, gap: 30) == [12...47])
        #expect(holes([0, 10, 30, 60], in: 0...60, gap: 30) == [])
    }

    @Test func aCutDownloadAnswersNothing() {
        #expect(LogCoverage.answered(0...900_000, isComplete: false, incomplete: [], every: Self.every) == [])
        #expect(LogCoverage.answered(0...900_000, isComplete: true, incomplete: [], every: Self.every) == [0...900_000])
        #expect(
            LogCoverage.answered(0...900_000, isComplete: true, incomplete: [300_000], every: Self.every)
                == [0...149_999, 450_001...900_000])
    }

    @Test func rangesThatTouchAreOne() {
        #expect(LogCoverage.merged([5...9, 0...4, 20...30, 22...25, 11...12]) == [0...9, 11...12, 20...30])
        #expect(LogCoverage.parts(of: 0...10, without: [-5...2, 4...5, 10...20]) == [3...3, 6...9])
        #expect(LogCoverage.parts(of: 0...10, without: [0...10]) == [])
    }

    // MARK: Each record once

    private func series(_ times: [Int64], live: [Int64] = []) -> LoggedSeries {
        var series = LoggedSeries([], live: live, every: Self.every)
        for time in times { _ = series.add(.integer(time), at: time) }
        return series
    }

    @Test func theSameRecordASecondLaterIsTheSame() {
        var series = series([1_000_000, 1_300_000])
        #expect(series.add(.integer(1_000_000), at: 1_001_000) == .known(isSame: true))
        #expect(series.add(.integer(7), at: 1_299_000) == .known(isSame: false))
        #expect(series.rows.map(\.time) == [1_000_000, 1_300_000])
    }

    @Test func aValueThatCameLiveIsNotStoredAgain() {
        var series = series([], live: [1_000_000])
        #expect(series.add(.integer(1), at: 1_150_000) == .live)
        #expect(series.add(.integer(1), at: 850_000) == .live)
        #expect(series.rows.isEmpty)
        guard case .new = series.add(.integer(1), at: 1_151_000) else { return #expect(Bool(false)) }
    }

    /// A fixed grid of 5 minutes would have two of these in one slot, and none in others.
    @Test(arguments: [300_690, 299_980, 300_000] as [Int64])
    func recordsKeepTheirSlotsThoughTheirClockIsAnother(spacing: Int64) {
        let times = (0..<4000).map { 1_700_000_000_000 + Int64($0) * spacing }
        let series = series(times)
        #expect(series.rows.count == 4000)
        #expect(zip(series.rows, series.rows.dropFirst()).allSatisfy { $1.slot == $0.slot + 1 })
    }

    @Test func aHoleIsFilledBetweenItsNeighbors() {
        let times = (0..<1000).map { Int64($0) * 300_690 }
        var series = series(Array(times[..<100] + times[900...]))
        for time in times[100..<900] {
            guard case .new = series.add(nil, at: time) else { return #expect(Bool(false), "\(time)") }
        }
        #expect(series.rows.map(\.time) == times)
        #expect(zip(series.rows, series.rows.dropFirst()).allSatisfy { $1.slot > $0.slot })
    }

    /// The same records, counted back from another now.
    @Test(arguments: [-61, -60, -59, -29, -1, 0, 1, 31, 59, 60, 61] as [Int64])
    func aDownloadIsMovedToTheTimesThatAreKnown(late: Int64) {
        func value(_ index: Int64) -> MeasuredValue { .integer(index * index % 37) }
        var series = LoggedSeries([], live: [], every: .seconds(60))
        for index in 0..<40 as Range<Int64> { _ = series.add(value(index), at: index * 60_000) }
        let again = (25..<60 as Range<Int64>).map { (time: $0 * 60_000 + late * 1000, value: Optional(value($0))) }
        let shift = series.shift(of: again)
        #expect(shift.shift == -late * 1000 && shift.agreeing == 15)
        for (time, value) in again { _ = series.add(value, at: time + shift.shift) }
        #expect(series.rows.map(\.time) == (0..<60).map { $0 * 60_000 })
        #expect(series.rows.map(\.value) == (0..<60).map { value($0) })
    }

    @Test func withoutKnownRecordsNothingIsMoved() {
        let series = series([0, 300_000, 600_000])
        #expect(series.shift(of: []) == (0, 0))
        #expect(series.shift(of: [(900_100, .integer(1)), (1_200_100, .integer(2))]) == (0, 0))
        // One may be near by chance, and two with other values are others.
        #expect(series.shift(of: [(600_100, .integer(600_000)), (900_100, .integer(2))]) == (0, 0))
        #expect(series.shift(of: [(300_100, .integer(1)), (600_100, .integer(2))]) == (0, 0))
    }

    @Test func moreRecordsThanIntervalsAreRefused() {
        var series = LoggedSeries(
            [
                .init(time: 0, boot: 1, slot: 0, value: nil), .init(time: 600_000, boot: 1, slot: 1, value: nil),
            ], live: [], every: Self.every)
        #expect(series.add(nil, at: 300_000) == .crowded)
    }

    @Test func aDownloadWithNoneOfTheEarlierRecordsIsOfANewStart() {
        var series = series([0, 300_000, 600_000])
        #expect(!series.isReset(by: [301_000, 900_000], in: 0...1_000_000))
        #expect(series.isReset(by: [900_000, 1_200_000], in: 0...1_300_000))
        // It wasn't asked for these.
        #expect(!series.isReset(by: [900_000, 1_200_000], in: 600_000...1_300_000))
        #expect(!series.isReset(by: [], in: 0...1_000_000))
        series.boot += 1
        guard case .new(let row) = series.add(nil, at: 900_000) else { return #expect(Bool(false)) }
        #expect(row.boot == 2 && row.slot == 3)
    }

    // MARK: Outages

    /// A gateway and a sensor that are away at times, and downloads that are cut, against a model that only counts: each record
    /// that the sensor had at a whole visit is known once, within half an interval.
    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func eachRecordIsThereOnceWhateverWasAway(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        func below(_ count: Int64) -> Int64 { Int64(random.next() % UInt64(count)) }
        let spacing = 300_000 + below(700), every: Int64 = 300_000
        let horizon: Int64 = 4 * 86_400_000
        var starts: [Int64] = [-below(86_400_000)]
        if below(2) == 0 { starts.append(below(horizon)) }
        /// The true times of the records that the sensor has at a time.
        func held(at now: Int64) -> [Int64] {
            let start = starts.last { $0 <= now } ?? starts[0]
            return Array(stride(from: start, through: now, by: Int64.Stride(spacing)).suffix(800))
        }
        var (live, outages): ([Int64], [ClosedRange<Int64>]) = ([], [])
        for _ in 0..<(2 + below(5)) {
            let from = below(horizon)
            outages.append(from...min(horizon, from + below(12 * 3_600_000)))
        }
        for moment in stride(from: 0, through: horizon, by: 60_000)
        where !outages.contains(where: { $0.contains(moment) }) {
            live.append(moment)
        }
        var rows: [LoggedSeries.Row] = []
        var asked: [ClosedRange<Int64>] = []
        var owed: Set<Int64> = []
        var visit: Int64 = 0
        while visit < horizon {
            visit = min(horizon, visit + 1_800_000 + below(8 * 3_600_000))
            guard !outages.contains(where: { $0.contains(visit) }) else { continue }
            let heard = live.filter { $0 <= visit }
            let coverage = LogCoverage(every: .milliseconds(every), known: heard + rows.map(\.time), asked: asked)
            guard let hole = coverage.holes(in: 0...visit).first else { continue }
            let since = LogCoverage.since(hole, overlap: 2, every: .milliseconds(every))
            var sent = held(at: visit).filter { $0 >= since }
            // Newer pages may come before older ones.
            let turn = Int(below(Int64(sent.count) + 1))
            sent = Array(sent[turn...] + sent[..<turn])
            let isComplete = below(3) > 0
            if isComplete {
                owed.formUnion(sent.filter { $0 >= 0 })
            } else {
                sent = Array(sent.prefix(Int(below(Int64(sent.count) + 1))))
            }
            // The whole seconds of both clocks, and a lost one.
            let jitter = below(2000) - 1000
            let lost = isComplete && below(4) == 0 ? sent.randomElement(using: &random) : nil
            if let lost { owed.remove(lost) }
            var series = LoggedSeries(rows, live: heard, every: .milliseconds(every))
            let times = sent.filter { $0 != lost }.map { $0 + jitter }
            if isComplete, series.isReset(by: times, in: since...visit) { series.boot += 1 }
            for time in times.sorted() { _ = series.add(.integer(time), at: time) }
            rows = series.rows
            asked += LogCoverage.answered(
                since...visit, isComplete: isComplete, incomplete: lost.map { [$0 + jitter] } ?? [],
                every: .milliseconds(every))
        }
        let known = (live + rows.map(\.time)).sorted()
        for time in owed {
            #expect(known.contains { abs($0 - time) <= every / 2 + 1000 }, "seed \(seed): \(time) is missing")
        }
        #expect(Set(rows.map { [$0.boot, $0.slot] }).count == rows.count)
        for (first, second) in zip(rows, rows.dropFirst()) {
            #expect(second.time - first.time > every / 2, "seed \(seed)")
        }
        let alone = Set(live)
        #expect(rows.allSatisfy { row in !alone.contains { abs($0 - row.time) < every / 2 - 1000 && $0 <= row.time } })
    }
}
