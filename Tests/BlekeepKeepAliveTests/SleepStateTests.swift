import RunLoop
import Testing

@testable import BlekeepKeepAlive

@Suite struct SleepStateTests {
    private func at(_ seconds: Double) -> Uptime { .start + .milliseconds(Int(seconds * 1000)) }

    private func locked(limit: Duration = .seconds(5)) -> SleepState {
        var state = SleepState()
        #expect(state.step(.logind(limit: limit, preparing: nil), at: at(0)) == [.takeLock])
        #expect(state.step(.locked(true), at: at(0)) == [])
        return state
    }

    @Test func withoutWorkTheLockGoesAsSoonAsAllIsFlushed() {
        var state = locked()
        #expect(state.step(.prepare(.sleep), at: at(10)) == [.preparing(.sleep)])
        #expect(state.remaining(at: at(11)) == .seconds(4))
        #expect(state.step(.flushed, at: at(10.1)) == [.releaseLock])
        #expect(state.step(.resume, at: at(60)) == [.resumed("the machine is awake again"), .takeLock])
        #expect(state.remaining(at: at(60)) == nil)
    }

    @Test func workThatEndsInTimeIsWaitedFor() {
        var state = locked()
        _ = state.step(.began(1, name: "one", budget: .seconds(30)), at: at(9))
        _ = state.step(.prepare(.sleep), at: at(10))
        #expect(state.step(.flushed, at: at(10)) == [])
        #expect(state.step(.ended(1), at: at(11)) == [.releaseLock])
    }

    @Test func openWorkExpiresLastInFirstOutAndTheLockGoesAnyway() {
        var state = locked()
        for id in 1...3 { _ = state.step(.began(id, name: "\(id)", budget: .seconds(30)), at: at(9)) }
        _ = state.step(.prepare(.sleep), at: at(10))
        _ = state.step(.flushed, at: at(10))
        #expect(state.nextWake == at(12))
        #expect(state.step(.time, at: at(12)) == [.expire([3, 2, 1])])
        #expect(state.nextWake == at(13.5))
        #expect(state.step(.time, at: at(13.5)) == [.releaseLock])
    }

    @Test(arguments: [0, 300, 1000, 2000, 5000, 30000])
    func theLockIsAlwaysReleasedHalfASecondBeforeTheLimit(_ limit: Int) {
        let limit = Duration.milliseconds(limit)
        var state = locked(limit: limit)
        _ = state.step(.began(1, name: "one", budget: .seconds(30)), at: at(9))
        // A poller that never says that it has flushed changes nothing of that.
        var effects = state.step(.prepare(.shutdown), at: at(10))
        var now = at(10)
        while !effects.contains(.releaseLock), now < at(60) {
            now = max(now, state.nextWake)
            effects += state.step(.time, at: now)
        }
        #expect(now - at(10) <= max(.zero, limit - .milliseconds(500)))
        #expect(now - at(10) <= .milliseconds(3500))
        #expect(effects.contains(.expire([1])))
    }

    @Test func twiceWithinTwoSeconds() {
        var state = locked()
        _ = state.step(.prepare(.sleep), at: at(10))
        #expect(state.step(.prepare(.sleep), at: at(10.5)) == [])
        _ = state.step(.flushed, at: at(10.6))
        #expect(state.step(.resume, at: at(11)).contains(.takeLock))
        #expect(state.step(.prepare(.sleep), at: at(11.5)) == [.preparing(.sleep)])
        // The requested lock isn't held yet, so there is nothing to release or to wait for.
        #expect(state.step(.locked(false), at: at(11.6)) == [])
        #expect(state.step(.flushed, at: at(11.7)) == [])
        #expect(state.step(.resume, at: at(20)).contains(.takeLock))
    }

    @Test func trueWithoutFalseEnds() {
        var state = locked()
        _ = state.step(.prepare(.sleep), at: at(10))
        _ = state.step(.flushed, at: at(10))
        #expect(state.nextWake == at(20))
        #expect(state.step(.time, at: at(20)) == [.verify])
        let effects = state.step(.logind(limit: .seconds(5), preparing: nil), at: at(20.1))
        #expect(effects.contains(.resumed("the machine is awake again")))
    }

    @Test func aLogindThatAlwaysPreparesIsNotBelievedForEver() {
        var state = locked()
        _ = state.step(.prepare(.sleep), at: at(10))
        _ = state.step(.flushed, at: at(10))
        var resumed: Uptime?
        while resumed == nil, state.nextWake < .never {
            let now = state.nextWake
            let effects = state.step(.time, at: now)
            if effects.contains(.verify) { _ = state.step(.logind(limit: .seconds(5), preparing: .sleep), at: now) }
            if effects.contains(.resumed("the machine didn't sleep")) { resumed = now }
        }
        #expect(resumed == at(310))
    }

    @Test func falseWithoutTrueIsAResume() {
        var state = locked()
        #expect(state.step(.resume, at: at(10)).contains(.resumed("the machine is awake again")))
    }

    @Test func noticesAnUnannouncedSleep() {
        var state = locked()
        #expect(state.step(.slept(.seconds(100)), at: at(10)).contains(.resumed("the machine slept for 1m40s")))
        // logind reports an announced sleep.
        _ = state.step(.prepare(.sleep), at: at(20))
        #expect(
            state.step(.slept(.seconds(100)), at: at(130)).contains(.resumed("the machine slept for 1m40s")) == false)
    }

    @Test func aMissedSignalIsSeenInTheProperty() {
        var state = SleepState()
        #expect(
            state.step(.logind(limit: .seconds(5), preparing: .sleep), at: at(0)) == [.preparing(.sleep)])
    }

    @Test func logindGoesAway() {
        var state = locked()
        #expect(state.step(.logindGone, at: at(5)) == [.releaseLock])
        #expect(state.step(.prepare(.sleep), at: at(6)) == [.preparing(.sleep)])
        #expect(state.step(.logindGone, at: at(7)) == [.resumed("logind stopped")])
        #expect(state.step(.logind(limit: .seconds(5), preparing: nil), at: at(8)) == [.takeLock])
        // No lock to be had: it is tried again, later and later.
        var now = 8.0
        for pause in [10.0, 20, 40, 80, 160, 300, 300] {
            #expect(state.step(.locked(false), at: at(now)) == [])
            now += pause
            #expect(state.nextWake == at(now))
            #expect(state.step(.time, at: at(now)) == [.takeLock])
        }
        #expect(state.step(.locked(true), at: at(now)) == [])
    }

    @Test func workBeyondItsBudgetIsExpiredOnceAndNamed() {
        var state = SleepState()
        _ = state.step(.began(1, name: "the tick", budget: .seconds(30)), at: at(0))
        #expect(state.nextWake == at(30))
        #expect(state.step(.time, at: at(30)) == [.overdue(name: "the tick"), .expire([1])])
        #expect(state.step(.time, at: at(31)) == [])
        #expect(state.openSections == ["the tick"])
    }

    @Test func aProgramThatIsToEndTakesTheSamePathWithinItsGrace() {
        var state = locked(limit: .seconds(30))
        _ = state.step(.began(1, name: "one", budget: .seconds(30)), at: at(9))
        _ = state.step(.began(2, name: "two", budget: .seconds(30)), at: at(9))
        #expect(state.step(.prepare(.termination), at: at(10)) == [.preparing(.termination)])
        #expect(state.remaining(at: at(10.5)) == .seconds(1.5))
        #expect(state.nextWake == at(10.5))
        #expect(state.step(.time, at: at(10.5)) == [.expire([2, 1])])
        // Whatever logind says: it ends.
        #expect(state.step(.resume, at: at(11)) == [])
        #expect(state.step(.prepare(.shutdown), at: at(11)) == [])
        #expect(state.step(.slept(.seconds(9)), at: at(11)) == [])
        #expect(state.nextWake == at(12))
        #expect(state.step(.time, at: at(12)) == [.releaseLock])
        #expect(state.step(.logindGone, at: at(12.1)) == [])
        #expect(state.nextWake == .never)
    }

    @Test func endsWhileTheMachineShutsDown() {
        var state = locked()
        _ = state.step(.prepare(.shutdown), at: at(10))
        #expect(state.step(.flushed, at: at(10)) == [.releaseLock])
        #expect(state.step(.prepare(.termination), at: at(11)) == [.preparing(.termination)])
        #expect(state.remaining(at: at(11)) == .seconds(2))
    }
}

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

@Suite struct WorkSectionsTests {
    private func make() -> WorkSections {
        var sections = WorkSections()
        for id in 1...3 { sections.begin(id, name: "work \(id)", until: .start + .seconds(10 * id)) }
        return sections
    }

    @Test func expiresASectionOnceWhenItsBudgetIsUsedUp() {
        var sections = make()
        #expect(sections.nextEnd == .start + .seconds(10))
        let overdue = (0..<2).map { _ in sections.expireOverdue(at: .start + .seconds(20)).map(\.name) }
        #expect(overdue == [["work 1", "work 2"], []])
        #expect(sections.nextEnd == .start + .seconds(30))
    }

    @Test func expiresTheLatestSectionFirstBeforeASleep() {
        var sections = make()
        _ = sections.expireOverdue(at: .start + .seconds(10))
        #expect(!sections.areExpired)
        let expired = sections.expireAll()
        #expect(expired == [3, 2])
        #expect(sections.areExpired && !sections.isEmpty && sections.nextEnd == .never)
    }

    @Test func forgetsASectionThatEnded() {
        var sections = make()
        sections.end(2)
        #expect(sections.names == ["work 1", "work 3"])
    }
}
