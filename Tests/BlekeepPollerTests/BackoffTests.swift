import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

@Suite struct BackoffTests {
    @Test func threeQuickTriesThenLongerAndLongerUpToFiveMinutes() {
        var backoff = Backoff(seed: 7)
        let waits = (0..<20).map { _ in backoff.fail() }
        #expect(waits[0..<3].allSatisfy { $0 >= .milliseconds(250) && $0 <= .milliseconds(500) })
        #expect(waits[3] >= .milliseconds(500) && waits[3] <= .seconds(1))
        #expect(waits[10] >= .seconds(64))
        #expect(waits[13...].allSatisfy { $0 >= .seconds(150) && $0 <= .seconds(300) })
    }

    @Test func onlySuccessResetsIt() {
        var backoff = Backoff(seed: 7)
        for _ in 0..<9 { _ = backoff.fail() }
        #expect(!backoff.isQuick)
        backoff.succeed()
        #expect(backoff.isQuick)
        #expect(backoff.fail() <= .milliseconds(500))
    }

    /// They say nothing of the device.
    @Test func anAttemptThatGaveWayLengthensThePausesAndIsNoFailure() {
        var (backoff, other) = (Backoff(seed: 7), Backoff(seed: 7))
        let pauses = (0..<6).map { _ in backoff.giveWay() }
        #expect(pauses == (0..<6).map { _ in other.fail() })
        #expect(backoff.failures == 0)
        #expect(!backoff.isQuick)
        #expect(backoff.fail() == other.fail())
        backoff.succeed()
        #expect(backoff.giveWay() <= .milliseconds(500))
    }

    @Test func equalSeedsGiveEqualPausesAndOthersSpread() {
        func waits(_ seed: UInt64) -> [Duration] {
            var backoff = Backoff(seed: seed)
            return (0..<8).map { _ in backoff.fail() }
        }
        #expect(waits(1) == waits(1))
        #expect(Set((0..<50).map { waits($0)[7] }).count > 40)
    }
}
