import Testing

@testable import BlekeepRecords

/// Which gaps are worth a connection, and who comes first.
@Suite struct LogModeTests {
    private static let minute: Int64 = 60_000

    private func holes(_ mode: LogMode, known: [Int64], interval: Duration = .seconds(60), isKnown: Bool = true) -> Int
    {
        let coverage = LogCoverage(every: .seconds(300), known: known.map { $0 * Self.minute }, asked: [])
        return mode.worthwhile(coverage, in: 0...120 * Self.minute, interval: interval, isKnown: isKnown).count
    }

    @Test func onlyLongGapsAreWorthAConnection() {
        let known = [0, 9, 18, 50, 59, 68, 77, 86, 95, 104, 113, 120] as [Int64]
        #expect(LogMode.allCases.map { holes($0, known: known) } == [0, 1, 1, 1])
        // The device is read each quarter of an hour.
        #expect(LogMode.allCases.map { holes($0, known: known, interval: .seconds(900)) } == [0, 0, 0, 1])
    }

    @Test func theTimeBeforeTheFirstValueIsOnlyForSome() {
        let known = Array(stride(from: Int64(60), through: 120, by: 5))
        #expect(LogMode.allCases.map { holes($0, known: known, isKnown: false) } == [0, 0, 1, 1])
        #expect(holes(.fill, known: known, isKnown: true) == 1)
    }

    @Test func eachHourAnotherDeviceIsTheFirst() {
        let hours = (0..<4).map { LogMode.order(["a", "b", "c"], at: $0 * 3_600_000 + 5).joined() }
        #expect(hours == ["abc", "bca", "cab", "abc"])
        #expect(LogMode.order([Int](), at: 5).isEmpty && LogMode.order([1], at: -1) == [1])
    }
}
