import RunLoop
import Testing

@testable import BlekeepRecords

@Suite struct CommitPolicyTests {
    private func at(_ seconds: Double) -> Uptime { .start + .seconds(seconds) }

    // MARK: Soon

    @Test func commitsOneSecondAfterTheFirstOfSeveralReadings() {
        var policy = CommitPolicy()
        policy.comeSoon(at: at(0))
        policy.comeSoon(at: at(0.6))
        #expect(policy.due == at(1))
        #expect(policy.lag(at: at(0.5)) == .zero && policy.lag(at: at(3)) == .seconds(2))
        let isDurable = policy.cameDue(at: at(1))
        #expect(!isDurable && policy.due == .never && policy.lag(at: at(9)) == .zero)
    }

    @Test func commitsAtOnceBeforeASleepOrTheEndUnlessTheStoreFails() {
        var policy = CommitPolicy()
        #expect(!policy.isUrgent(isResting: false))
        #expect(policy.isUrgent(isResting: true))
        policy.hurry()
        #expect(policy.isUrgent(isResting: false))
        policy.failed(at: at(0))
        #expect(!policy.isUrgent(isResting: true))
        _ = policy.succeeded(durable: true, isEmpty: true, at: at(0))
        #expect(policy.isUrgent(isResting: false))
    }

    // MARK: Durable

    @Test func twoTicksInARowHaveDurableCommitsTheThirdWaitsForTheBudget() {
        var policy = CommitPolicy()
        let settled = [100, 101, 102].map { policy.settle(at: at($0)) }
        #expect(settled == [true, true, false])
        _ = policy.succeeded(durable: false, isEmpty: false, at: at(102))
        #expect(policy.syncDue == at(140))
        let spent = [139, 140].map { policy.cameDue(at: at($0)) }
        #expect(spent == [false, true])
        _ = policy.succeeded(durable: true, isEmpty: false, at: at(140))
        #expect(policy.syncDue == .never)
    }

    /// While the disk takes long, the most durable of the commits that came meanwhile follows, and only once.
    @Test func aCommitThatWaitsForTheDiskStaysDurable() {
        var policy = CommitPolicy()
        policy.comeSoon(at: at(100))
        for durable in [false, true, false] { policy.follow(durable: durable) }
        #expect(policy.follows && policy.due == .never)
        let areDurable = [101, 102].map { policy.cameDue(at: at($0)) }
        #expect(areDurable == [true, false] && !policy.follows)
        // A failure has its own next attempt.
        policy.follow(durable: true)
        policy.failed(at: at(103))
        #expect(!policy.follows && policy.due > at(103))
    }

    @Test func aChangeWithoutATickIsDurable40SAfterItCame() {
        var policy = CommitPolicy()
        _ = policy.succeeded(durable: false, isEmpty: false, at: at(100))
        _ = policy.succeeded(durable: false, isEmpty: false, at: at(110))
        policy.comeBack(at: .never, now: at(110))
        #expect(policy.isDirty && policy.due == at(140))
        let isDurable = policy.cameDue(at: at(140))
        #expect(isDurable)
    }

    @Test func anEmptyCommitOwesTheDiskNothing() {
        var policy = CommitPolicy()
        _ = policy.succeeded(durable: false, isEmpty: true, at: at(100))
        policy.comeBack(at: .never, now: at(100))
        #expect(!policy.isDirty && policy.due == .never)
    }

    // MARK: A store that fails

    @Test func attemptsToWriteAre1SApartThenTwiceAsFarAndAMinuteAtMost() {
        var policy = CommitPolicy()
        let delays = (0..<8).map { _ in
            policy.failed(at: at(100))
            return policy.due - at(100)
        }
        #expect(delays == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    }

    @Test func leavesTheRetryAloneWhenSomethingComesWhileTheStoreFails() {
        var policy = CommitPolicy()
        for _ in 0..<3 { policy.failed(at: at(0)) }
        policy.comeSoon(at: at(0.5))
        #expect(policy.isFailing && policy.due == at(4))
    }

    @Test func theFirstSuccessAfterAFailureSaysWhatWasDroppedOnce() {
        var policy = CommitPolicy()
        func succeed() -> String? { policy.succeeded(durable: false, isEmpty: false, at: at(9)) }
        let before = succeed()
        policy.failed(at: at(0))
        policy.dropped(3)
        #expect(policy.isFailing && policy.lost == 3)
        let first = succeed()
        #expect(!policy.isFailing && policy.lost == 0)
        let second = succeed()
        #expect(before == nil && second == nil)
        #expect(first == "writing to the history again; the oldest 3 were dropped")
    }
}
