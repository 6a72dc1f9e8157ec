import Testing

@testable import Blekeep

@Suite struct AdaptiveRhythmTests {
    private func seconds(_ rhythm: AdaptiveRhythm, _ base: Int = 30) -> Double {
        rhythm.interval(of: .seconds(base)) / .seconds(1)
    }

    @Test func nothingNewStretchesToFourTimesAndSomethingNewBringsItBack() {
        var rhythm = AdaptiveRhythm(bounds: .seconds(5) ... .seconds(86_400), seed: 7)
        #expect(seconds(rhythm) == 30)
        for expected in [45.0, 67.5, 101, 120, 120, 120] {
            rhythm.take(.noData)
            #expect(abs(seconds(rhythm) / expected - 1) <= 0.06)
        }
        rhythm.take(.failed)
        #expect(abs(seconds(rhythm) / 120 - 1) <= 0.06)
        rhythm.take(.newData)
        #expect(seconds(rhythm) == 30)
    }

    @Test func boundsHoldButNeverQuickenAMode() {
        var rhythm = AdaptiveRhythm(bounds: .seconds(40) ... .seconds(50), seed: 7)
        #expect(seconds(rhythm) == 40)
        for _ in 0..<9 { rhythm.take(.noData) }
        #expect(seconds(rhythm) == 50)
        #expect(seconds(rhythm, 300) == 300)
    }

    @Test func theSameSeedSpreadsInTheSameWay() {
        var rhythms = [1, 1, 2].map { AdaptiveRhythm(bounds: .seconds(5) ... .seconds(86_400), seed: $0) }
        for index in rhythms.indices {
            for _ in 0..<5 { rhythms[index].take(.noData) }
        }
        #expect(seconds(rhythms[0]) == seconds(rhythms[1]))
        #expect(seconds(rhythms[0]) != seconds(rhythms[2]))
    }
}
