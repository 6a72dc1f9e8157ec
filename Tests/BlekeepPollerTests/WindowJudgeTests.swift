import RunLoop
import Testing

@testable import BlekeepPoller

/// Whether windows hear as much as listening without a pause.
@Suite struct WindowJudgeTests {
    private var judge = WindowJudge()
    private var now = Uptime.start

    /// Takes a tick a minute for some hours, of which a share is heard in windows, and another one without a pause.
    private mutating func live(_ hours: Int, windows: Int, open: Int) -> [WindowJudge.Verdict] {
        (0..<hours * 60).compactMap { minute in
            now = now + .seconds(60)
            return judge.listened(heard: minute % 10 < (judge.isOpen ? open : windows), at: now)
        }
    }

    @Test mutating func windowsThatHearAllStay() {
        #expect(live(48, windows: 10, open: 10) == [])
        #expect(!judge.isOpen)
    }

    @Test mutating func windowsThatHearLessEndAfterATrialHour() {
        #expect(live(1, windows: 5, open: 10) == [] && !judge.isOpen)
        #expect(live(1, windows: 5, open: 10) == [] && judge.isOpen)
        let verdicts = live(1, windows: 5, open: 10)
        #expect(verdicts.count == 1 && judge.isOpen)
        #expect(verdicts.first.map { abs($0.windows - 0.5) < 0.05 && $0.open > 0.95 } == true)
        // For a day; then they get another chance.
        #expect(live(23, windows: 5, open: 10) == [] && judge.isOpen)
        #expect(live(2, windows: 10, open: 10) == [] && !judge.isOpen)
    }

    /// A sensor that is out of range is no reason to listen all the time.
    @Test mutating func windowsStayWhenNothingHearsMore() {
        var open = 0
        for _ in 0..<96 {
            #expect(live(1, windows: 5, open: 5) == [])
            open += judge.isOpen ? 1 : 0
        }
        #expect(open <= 8, "\(open) hours of trials in four days")
    }

    @Test mutating func fewTicksSayNothing() {
        for _ in 0..<10 {
            now = now + .seconds(1800)
            #expect(judge.listened(heard: false, at: now) == nil)
        }
        #expect(!judge.isOpen)
    }

    @Test func aSliceOfEachMinute() {
        let start = Uptime.start + .seconds(600)
        #expect(SearchSlice.contains(start) && SearchSlice.contains(start + .seconds(14)))
        #expect(!SearchSlice.contains(start + .seconds(15)) && !SearchSlice.contains(start + .seconds(59)))
        #expect(SearchSlice.nextEdge(after: start) == start + .seconds(15))
        #expect(SearchSlice.nextEdge(after: start + .seconds(15)) == start + .seconds(60))
        #expect(SearchSlice.nextEdge(after: start + .seconds(59)) == start + .seconds(60))
    }
}
