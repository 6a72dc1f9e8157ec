import RunLoop
import Testing

@testable import BlekeepKeepAlive

@Suite struct PowerPollsTests {
    @Test func makesOnePollAtATimeOnceAMinute() {
        var polls = PowerPolls()
        #expect(polls.next == .never)
        let begun = (0..<2).map { _ in polls.begin(at: .start) }
        #expect(begun == [true, false])
        #expect(polls.next == .never)
        polls.end()
        #expect(polls.next == .start + .seconds(60))
        polls.polled(at: .start + .seconds(70))
        #expect(polls.next == .start + .seconds(130))
    }
}
