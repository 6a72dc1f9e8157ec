import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

@Suite struct HealthTests {
    private static let noAnswer = ReadingFailure(.connect, "no answer")

    private static func failure(
        _ failure: ReadingFailure = noAnswer, in phase: Attempt.Phase = .connect, _ remedy: Remedy? = .retry,
        pause: Duration? = .seconds(1)
    ) -> Attempt {
        Attempt(phase: phase, failure: failure, remedy: remedy, pause: pause)
    }

    private static let good = Attempt(phase: .read)

    private func health(_ attempts: Attempt...) -> Health {
        var health = Health()
        for attempt in attempts { health.record(attempt, at: .start) }
        return health
    }

    private func trouble(_ attempts: Int64, _ remedy: Remedy? = .retry) -> DeviceCondition.Trouble {
        DeviceCondition.Trouble(attempts: attempts, phase: .connect, failure: Self.noAnswer, remedy: remedy)
    }

    // MARK: Attempts

    @Test func isNewUntilAnAttemptEnds() { #expect(Health().condition == .new) }

    @Test func countsConsecutiveSuccesses() {
        #expect(health(Self.good, Self.good).condition == .good(.init(ticks: 2)))
        #expect(health(Self.good, Self.failure(), Self.good).condition == .good(.init(ticks: 1)))
    }

    @Test func staysGoodWhileOtherValuesAreRead() {
        let partial = Attempt(phase: .read, failure: Self.noAnswer)
        #expect(health(Self.good, partial).condition == .good(.init(ticks: 2, missing: Self.noAnswer)))
        #expect(health(partial, Self.good).condition == .good(.init(ticks: 2)))
    }

    @Test func isLostWithTheFourthConsecutiveFailure() {
        let failure = Self.failure()
        #expect(health(failure, failure, failure).condition == .trying(trouble(3)))
        #expect(health(failure, failure, failure, failure).condition == .lost(trouble(4)))
        #expect(health(failure, failure, failure, Self.good, failure).condition == .trying(trouble(1)))
    }

    @Test(arguments: [(59, false), (60, true)]) func isLostWithALongPause(seconds: Int, isLost: Bool) {
        let condition = health(Self.failure(pause: .seconds(seconds))).condition
        #expect(condition == (isLost ? .lost(trouble(1)) : .trying(trouble(1))))
    }

    @Test func staysLostUntilASuccess() {
        let failures = [Self.failure(pause: .seconds(300)), Self.failure(pause: nil)]
        #expect(health(failures[0], failures[1]).condition == .lost(trouble(2)))
    }

    @Test(arguments: Remedy.allCases) func needsTheUserAsTheRemedySays(remedy: Remedy) {
        let condition = health(Self.failure(Self.noAnswer, remedy)).condition
        #expect(condition == (remedy.needsUser ? .needsUser(trouble(1, remedy)) : .trying(trouble(1, remedy))))
    }

    @Test func needsTheUserAsTheCodeSaysUntilASuccess() {
        let blocked = Self.failure(.needsUser("it is blocked"), nil)
        var health = health(blocked, Self.failure())
        #expect(health.condition == .needsUser(trouble(2)))
        health.record(Self.good, at: .start)
        #expect(health.condition == .good(.init(ticks: 1)))
    }

    @Test func hearingADeviceIsASuccess() {
        let heard = health(Self.failure(.notHeard, in: .search, .wait), Attempt(phase: .search))
        #expect(heard.condition == .good(.init(ticks: 1)))
    }

    // MARK: Counts by kind

    @Test func countsEachKindUntilASuccess() {
        var health = Health()
        #expect(health.count(.cancelled) == 1 && health.count(.cancelled) == 2 && health.count(.refused) == 1)
        health.reset(.refused)
        #expect(health.count(.refused) == 1 && health.count(.cancelled) == 3)
        health.record(Self.failure(), at: .start)
        #expect(health.count(.cancelled) == 4)
        health.record(Self.good, at: .start)
        #expect(health.count(.cancelled) == 1)
    }

    // MARK: Ticks

    @Test func aTickCountsOnceWhetherAnAttemptReportsItOrNot() {
        let late = ReadingFailure(.late, "its turn didn't come in time")
        var health = health(Self.failure(pause: nil))
        #expect(health.giveUpTick(late, at: .start) == nil)
        #expect(health.condition == .trying(trouble(1)))
        let attempt = health.giveUpTick(late, at: .start + .seconds(30))
        #expect(attempt == Attempt(phase: .read, failure: late, remedy: .retry))
        #expect(health.condition.trouble?.attempts == 2)
        #expect(health.lastFailure == late)
    }

    @Test func aTickInThePauseAfterAnAttemptDoesNotCount() {
        var health = health(Self.failure(pause: .seconds(60)))
        #expect(health.giveUpTick(Self.noAnswer, at: .start + .seconds(30)) == nil)
        #expect(health.giveUpTick(Self.noAnswer, at: .start + .seconds(60)) == nil)
        #expect(health.condition == .lost(trouble(1)))
        #expect(health.giveUpTick(Self.noAnswer, at: .start + .seconds(90)) != nil)
        #expect(health.condition == .lost(trouble(2)))
    }

    @Test func theSameFailureCountsAsTheSameAttempt() {
        var health = health(Self.failure(.notHeard, in: .search, .wait, pause: nil))
        _ = health.giveUpTick(.notHeard, at: .start)
        let again = health.giveUpTick(.notHeard, at: .start + .seconds(30))
        #expect(again == Attempt(phase: .search, failure: .notHeard, remedy: .wait))
    }

    @Test(arguments: FailureCode.allCases) func ignoresTicksThatFailedWithoutFaultOfTheDevice(code: FailureCode) {
        var health = Health()
        let attempt = health.giveUpTick(ReadingFailure(code, "gone"), at: .start)
        #expect((attempt == nil) == code.isNotDeviceFault)
        #expect((health.condition == .new) == code.isNotDeviceFault)
        #expect(health.lastFailure?.code == .known(code))
    }

    @Test func countsTicks() {
        var health = Health()
        health.beginTick()
        health.endTick(.good)
        #expect(health.lastTickFailure == nil)
        health.beginTick()
        health.missed(.missingPairing(isPaired: false))
        health.missed(Self.noAnswer)
        health.endTick(.good)
        #expect(health.lastTickFailure?.code == .known(.needsPairing))
        health.beginTick()
        health.remember(Self.noAnswer)
        health.endTick(.failed)
        #expect(health.lastTickFailure == Self.noAnswer)
        #expect([health.goodTicks, health.partialTicks, health.failedTicks] == [2, 1, 1])
    }

    // MARK: Runs

    @Test func continuesWhereAnEarlierRunEnded() {
        var health = Health()
        health.resume(.lost(trouble(7)))
        #expect(health.condition == .lost(trouble(7)))
        health.record(Self.failure(), at: .start)
        #expect(health.condition == .lost(trouble(8)))
    }

    @Test func addsAnEarlierRunThatIsReadLate() {
        var late = health(Self.failure(), Self.failure())
        late.resume(.trying(trouble(1)))
        #expect(late.condition == .trying(trouble(3)))
        late.resume(.trying(trouble(.max)))
        #expect(late.condition == .trying(trouble(.max)))
        var good = health(Self.good)
        good.resume(.good(.init(ticks: 41)))
        #expect(good.condition == .good(.init(ticks: 42)))
        // The condition of this run is newer.
        good.resume(.lost(trouble(9)))
        #expect(good.condition == .good(.init(ticks: 42)))
    }
}
