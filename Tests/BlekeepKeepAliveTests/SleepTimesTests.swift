import RunLoop
import Testing

@testable import BlekeepKeepAlive

@Suite struct SleepTimesTests {
    /// When work expires, when the machine may sleep and when it sleeps, in milliseconds.
    private func times(_ cause: SleepCause, limit: Int64) -> [Double] {
        let times = SleepTimes(cause, since: .start, limit: .milliseconds(limit))
        return [times.expiry, times.release, times.end].map { $0.sinceStart / .milliseconds(1) }
    }

    @Test func leavesHandlersTheirTimeAndEndsBeforeTheLimitOfLogind() {
        #expect(times(.sleep, limit: 5000) == [2000, 3500, 5000])
        #expect(times(.shutdown, limit: 3000) == [1000, 2500, 3000])
        #expect(times(.sleep, limit: 1000) == [0, 500, 1000])
        #expect(times(.sleep, limit: 0) == [0, 0, 0])
    }

    @Test func endsWithinTwoSecondsWhenTheProgramIsToEndWhateverLogindAllows() {
        #expect(times(.termination, limit: 0) == [500, 2000, 2000])
        #expect(times(.termination, limit: 60_000) == [500, 2000, 2000])
    }
}
