import Testing

@testable import BlekeepHistory

/// How numbers get into the columns of a plot, and where its line has a gap.
@Suite struct PlotColumnsTests {
    private func columns(_ numbers: [(Int64, Double)], in time: ClosedRange<Int64>, _ count: Int) -> [PlottedPoint] {
        var columns = PlotColumns(time, columns: count)
        for (moment, number) in numbers { columns.add(PlottedPoint(number, at: moment)) }
        return columns.result
    }

    @Test func aColumnHasTheLeastTheGreatestTheMeanAndTheNewestOfItsNumbers() {
        let points = columns([(0, 5), (10, 1), (20, 3), (55, 8), (100, 9)], in: 0...100, 4)
        #expect(points.map(\.column) == [0, 2, 3])
        #expect(points.map(\.least) == [1, 8, 9] && points.map(\.greatest) == [5, 8, 9])
        #expect(points.map(\.mean) == [3, 8, 9] && points.map(\.latest) == [3, 8, 9])
        #expect(points.map(\.count) == [3, 1, 1])
        #expect(points[0].first == 0 && points[0].last == 20)
    }

    @Test func numbersMayComeInAnyOrder() {
        let numbers = (0..<500).map { (Int64($0) * 7, Double($0 % 13)) }
        let ordered = columns(numbers, in: 0...3500, 40)
        let shuffled = columns(numbers.reversed(), in: 0...3500, 40)
        #expect(ordered.map(\.latest) == shuffled.map(\.latest) && ordered.map(\.count) == shuffled.map(\.count))
        #expect(zip(ordered, shuffled).allSatisfy { abs($0.mean - $1.mean) < 1e-9 })
        #expect(ordered.reduce(0) { $0 + $1.count } == 500)
    }

    @Test func aMillionNumbersAreAsManyPointsAsThereAreColumns() {
        var columns = PlotColumns(0...999_999, columns: 100)
        for moment in 0..<1_000_000 { columns.add(PlottedPoint(Double(moment % 7), at: Int64(moment))) }
        let points = columns.result
        #expect(points.count == 100 && points.allSatisfy { $0.count == 10_000 && $0.least == 0 && $0.greatest == 6 })
        #expect(points.dropFirst().allSatisfy { $0.isJoined })
    }

    @Test func whatCantBeDrawnIsLeftOut() {
        let wild: [Double] = [.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -1e101]
        #expect(columns(wild.map { (5, $0) }, in: 0...10, 4).isEmpty)
        #expect(columns([(-1, 1), (11, 1), (.min, 1), (.max, 1)], in: 0...10, 4).isEmpty)
        let extreme = columns([(.min, 1), (0, 2), (.max, 3)], in: .min ... .max, 3)
        #expect(extreme.map(\.column) == [0, 1, 2])
    }

    @Test func aSummaryCountsAsSoManyNumbersFromWhereThePlotBegins() {
        var columns = PlotColumns(1000...2000, columns: 2)
        columns.add(
            PlottedPoint(
                column: 0, first: 700, last: 1400, least: 1, greatest: 9, mean: 4, latest: 2, count: 3))
        columns.add(PlottedPoint(8, at: 1100))
        let points = columns.result
        #expect(points.count == 1 && points[0].first == 1000 && points[0].last == 1400)
        #expect(points[0].count == 4 && points[0].mean == 5 && points[0].latest == 2)
        columns.add(
            PlottedPoint(
                column: 0, first: 1000, last: 1100, least: 1, greatest: 9, mean: 4, latest: 2, count: .max))
        #expect(columns.result[0].count == .max)
    }

    // MARK: Gaps

    /// Where a line leads to, for numbers at these seconds.
    private func joined(_ seconds: [Int64], columns count: Int = 1000) -> [Bool] {
        columns(seconds.map { ($0 * 1000, 1) }, in: 0...1_000_000, count).map(\.isJoined)
    }

    @Test func twoFailedReadsAreNoGapAndThreeAreOne() {
        #expect(joined([0, 30, 60, 150, 180]) == [false, true, true, true, true])
        #expect(joined([0, 30, 60, 151, 181]) == [false, true, true, false, true])
    }

    @Test func aGapWithinAColumnOrTwoIsntSeen() {
        // Columns of 100 s: a reading each second, and none for 140 s.
        let seconds = Array(0...200) + Array(340...400)
        #expect(joined(seconds.map(Int64.init), columns: 10).dropFirst().allSatisfy { $0 })
        let late = Array(0...200) + Array(360...400)
        #expect(joined(late.map(Int64.init), columns: 10) == [false, true, true, false, true])
    }

    @Test func fewPoints() {
        #expect(joined([]).isEmpty && joined([5]) == [false])
        // What is usual can't be known from one distance.
        #expect(joined([5, 900]) == [false, true])
    }

    @Test func summariesSideBySideHaveNoGapBetweenThem() {
        var columns = PlotColumns(0...36_000_000, columns: 10)
        for hour in [0, 1, 2, 5, 6] as [Int64] {
            let start = hour * 3_600_000
            columns.add(
                PlottedPoint(
                    column: 0, first: start, last: start + 3_600_000, least: 1, greatest: 1, mean: 1, latest: 1,
                    count: 1))
        }
        #expect(columns.result.map(\.isJoined) == [false, true, true, false, true])
    }
}
