import Testing

@testable import BlekeepKeepAlive

@Suite struct AdaptiveIntervalTests {
    private func seconds(_ adaptive: AdaptiveInterval, _ base: Int = 30) -> Double {
        adaptive.interval(of: .seconds(base)) / .seconds(1)
    }

    @Test func nothingNewStretchesToFourTimesAndSomethingNewBringsItBack() {
        var adaptive = AdaptiveInterval(bounds: .seconds(5) ... .seconds(86_400), seed: 7)
        #expect(seconds(adaptive) == 30)
        for expected in [45.0, 67.5, 101, 120, 120, 120] {
            adaptive.adapt(to: .noData)
            #expect(abs(seconds(adaptive) / expected - 1) <= 0.06)
        }
        adaptive.adapt(to: .failed)
        #expect(abs(seconds(adaptive) / 120 - 1) <= 0.06)
        adaptive.adapt(to: .newData)
        #expect(seconds(adaptive) == 30)
    }

    @Test func boundsHoldButNeverQuickenAMode() {
        var adaptive = AdaptiveInterval(bounds: .seconds(40) ... .seconds(50), seed: 7)
        #expect(seconds(adaptive) == 40)
        for _ in 0..<9 { adaptive.adapt(to: .noData) }
        #expect(seconds(adaptive) == 50)
        #expect(seconds(adaptive, 300) == 300)
    }

    @Test func theSameSeedSpreadsInTheSameWay() {
        var intervals = [1, 1, 2].map { AdaptiveInterval(bounds: .seconds(5) ... .seconds(86_400), seed: $0) }
        for index in intervals.indices {
            for _ in 0..<5 { intervals[index].adapt(to: .noData) }
        }
        #expect(seconds(intervals[0]) == seconds(intervals[1]))
        #expect(seconds(intervals[0]) != seconds(intervals[2]))
    }
}
