import BlekeepRecords
import Testing

@testable import BlekeepHistory

/// How long a number holds that a device repeats.
@Suite struct HeardTimesTests {
    /// A plot of 100 columns of a second.
    private func hold(
        _ points: [(time: Int64, number: Double)], last: Int64?, silences: [ClosedRange<Int64>] = []
    ) -> [String] {
        let span: ClosedRange<Int64> = 0...100_000
        var columns = PlotColumns(span, columns: 100)
        for point in points { columns.add(PlottedPoint(point.number, at: point.time)) }
        return columns.result(HeardTimes(last: last, silences: silences)).map { point in
            "\(point.isJoined ? "-" : "")\(point.column):\(Int(point.latest))\(point.count == 0 ? "h" : "")"
        }
    }

    @Test func aNumberHoldsWhileTheDeviceIsHeard() {
        #expect(hold([(10_000, 5)], last: 80_000) == ["10:5", "-80:5h"])
        #expect(hold([(10_000, 5)], last: 500_000) == ["10:5", "-99:5h"])
        #expect(hold([(10_000, 5)], last: 9000) == ["10:5"])
        #expect(hold([(10_000, 5)], last: nil) == ["10:5"])
        #expect(hold([], last: 80_000) == [])
    }

    @Test func aGapBetweenNumbersIsAStep() {
        let points: [(Int64, Double)] = [(1000, 5), (2000, 5), (3000, 5), (60_000, 7)]
        #expect(hold(points, last: 60_000) == ["1:5", "-2:5", "-3:5", "-59:5h", "-60:7"])
    }

    @Test func silencesAreGaps() {
        let points: [(Int64, Double)] = [(1000, 5), (2000, 5), (3000, 5), (60_000, 7)]
        #expect(
            hold(points, last: 60_000, silences: [40_000...50_000, 20_000...30_000])
                == ["1:5", "-2:5", "-3:5", "-20:5h", "30:5h", "-40:5h", "50:5h", "-59:5h", "-60:7"])
        #expect(hold(points, last: 60_000, silences: [0...70_000]) == ["1:5", "-2:5", "-3:5", "60:7"])
        #expect(
            hold([(10_000, 5)], last: 80_000, silences: [50_000...60_000]) == ["10:5", "-50:5h", "60:5h", "-80:5h"])
    }
}
