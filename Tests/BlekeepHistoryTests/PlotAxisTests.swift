import Testing

@testable import BlekeepHistory

/// The round numbers and times at the axes of a plot.
@Suite struct PlotAxisTests {
    private func texts(_ range: ClosedRange<Double>, _ most: Int = 5) -> [String] {
        PlotAxis(range, most: most).ticks.map(\.text)
    }

    @Test func ticksAreAtMultiplesOf12Or5TimesAPowerOfTen() {
        #expect(texts(18.2...24.9) == ["20", "22", "24"])
        #expect(texts(-18.86...(-18.2)) == ["-18.8", "-18.6", "-18.4", "-18.2"])
        #expect(texts(0...100) == ["0", "50", "100"])
        #expect(texts(1006...1012, 4) == ["1006", "1008", "1010", "1012"])
        #expect(texts(0.0012...0.0031) == ["0.0015", "0.0020", "0.0025", "0.0030"])
        #expect(texts(-0.3...0.3) == ["-0.2", "0.0", "0.2"])
        #expect(texts(0...1e7) == ["0", "5000000", "10000000"])
    }

    @Test func equalNumbersLieInTheMiddle() {
        let axis = PlotAxis(87...87, most: 5)
        #expect(axis.ticks.map(\.text) == ["86.0", "86.5", "87.0", "87.5", "88.0"] && axis.position(of: 87) == 0.5)
        #expect(texts(0...0) == ["-1.0", "-0.5", "0.0", "0.5", "1.0"])
        #expect(abs(PlotAxis(0.001...0.001, most: 5).position(of: 0.001) - 0.5) < 1e-9)
    }

    @Test func anyRangeHasSomeTicksInOrderAndWithinIt() {
        var numbers: [Double] = [0, 1, -1, 0.1, 1 / 3, 1e-100, -1e-9, 1e15, 1e15 + 0.25, 123_456.789, 1e100, -1e110]
        numbers += [.leastNonzeroMagnitude, 0x1p53, 9_999_999, 99.999999]
        for first in numbers {
            for second in numbers where first <= second {
                for most in [2, 3, 6, 8] {
                    let axis = PlotAxis(first...second, most: most)
                    let values = axis.ticks.map(\.value)
                    #expect((2...max(5, most)).contains(values.count), "\(first)...\(second)")
                    #expect(values == values.sorted() && Set(values).count == values.count, "\(first)...\(second)")
                    #expect(axis.lower <= first && axis.upper >= second && axis.upper.isFinite)
                    #expect(axis.ticks.allSatisfy { $0.text.utf8.count <= 24 })
                    let room = (axis.upper - axis.lower) * 1e-3
                    #expect(values.allSatisfy { $0 >= axis.lower - room && $0 <= axis.upper + room })
                }
            }
        }
    }

    @Test func aNumberBeyondTheEndsLiesAtAnEnd() {
        let axis = PlotAxis(0...10, most: 5)
        #expect(axis.position(of: -5) == 0 && axis.position(of: 50) == 1 && axis.position(of: 5) == 0.5)
    }

    // MARK: Times

    /// 2026-11-21T20:00:00Z
    private static let evening: Int64 = 1_795_291_200_000
    private static let hour: Int64 = 3_600_000

    private func times(_ length: Int64, _ most: Int = 6, offset: Int = 0) -> [String] {
        TimeAxis(Self.evening...Self.evening + length) { _ in offset }.ticks(most: most).map(\.text)
    }

    @Test func aNightHasHoursAndTheDateAtMidnight() {
        #expect(times(12 * Self.hour) == ["20:00", "22:00", "11-22", "02:00", "04:00", "06:00", "08:00"])
        #expect(times(12 * Self.hour, offset: 3600) == ["22:00", "11-22", "02:00", "04:00", "06:00", "08:00"])
        #expect(times(20_000, 4) == ["20:00:00", "20:00:05", "20:00:10", "20:00:15", "20:00:20"])
    }

    @Test func longerTimesHaveDaysMonthsAndYears() {
        #expect(times(6 * 24 * Self.hour) == ["11-22", "11-23", "11-24", "11-25", "11-26", "11-27"])
        // Weeks begin on Mondays.
        #expect(times(28 * 24 * Self.hour, 5) == ["11-23", "11-30", "12-07", "12-14"])
        #expect(
            times(200 * 24 * Self.hour, 8) == [
                "2026-12", "2027-01", "2027-02", "2027-03", "2027-04", "2027-05",
                "2027-06",
            ])
        #expect(times(5 * 365 * 24 * Self.hour) == ["2027", "2028", "2029", "2030", "2031"])
    }

    @Test func aDayInWhichTheClockIsPutForwardHasEachTickOnce() {
        // An hour is skipped at 22:00 UTC, when local time is 23:00.
        let axis = TimeAxis(Self.evening...Self.evening + 6 * Self.hour) {
            $0 < Self.evening + 2 * Self.hour ? 3600 : 7200
        }
        let ticks = axis.ticks(most: 6)
        #expect(Set(ticks.map(\.time)).count == ticks.count && ticks.map(\.time) == ticks.map(\.time).sorted())
        #expect(ticks.first?.text == "21:00" && ticks.last?.text == "04:00")
    }

    @Test func anyTimeHasItsTicksWithinItAndNotTooMany() {
        let moments: [Int64] = [.min, -62_135_596_800_000, -1, 0, 1, Self.evening, Self.evening + 1, 1 << 50, .max]
        for first in moments {
            for second in moments where first <= second {
                for most in [1, 2, 10, 200] {
                    let axis = TimeAxis(first...second) { _ in 20_700 }
                    let ticks = axis.ticks(most: most)
                    #expect(ticks.count <= 3 * most + 8)
                    #expect(ticks.allSatisfy { axis.time.contains($0.time) && (0...1).contains($0.position) })
                }
            }
        }
    }
}
