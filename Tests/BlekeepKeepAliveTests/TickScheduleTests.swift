import RunLoop
import Testing

@testable import BlekeepKeepAlive

@Suite struct TickScheduleTests {
    private func at(_ seconds: Double) -> Uptime { .start + .milliseconds(Int(seconds * 1000)) }

    @Test func firstIsDueAtOnceAndTheNextOnesCountFromTheDeadline() {
        var schedule = TickSchedule(every: .seconds(30), from: at(5))
        #expect(schedule.takeDue(at: at(4.9)) == nil)
        #expect(schedule.takeDue(at: at(5))?.deadline == at(5))
        #expect(schedule.takeDue(at: at(34.9)) == nil)
        // A tick that is 2 s late doesn't delay the next one.
        #expect(schedule.takeDue(at: at(37))?.deadline == at(35))
        #expect(schedule.next == at(65))
    }

    @Test func missedDeadlinesAreCountedAndNotMadeUpFor() {
        var schedule = TickSchedule(every: .seconds(10), from: at(0))
        _ = schedule.takeDue(at: at(0))
        let late = schedule.takeDue(at: at(41))
        #expect(late?.deadline == at(40))
        #expect(late?.skipped == 3)
        #expect(schedule.takeDue(at: at(41)) == nil)
        #expect(schedule.next == at(50))
    }

    @Test func aDeadlineThatIsLateByMoreThanHalfAnIntervalIsLeftOut() {
        var schedule = TickSchedule(every: .seconds(10), from: at(0))
        _ = schedule.takeDue(at: at(0))
        #expect(schedule.takeDue(at: at(17)) == nil)
        let next = schedule.takeDue(at: at(20))
        #expect(next?.deadline == at(20))
        #expect(next?.skipped == 1)
    }

    @Test func neverDriftsOverAYear() {
        var schedule = TickSchedule(every: .seconds(30), from: at(0))
        for tick in 0..<1_051_200 {
            let due = at(Double(tick) * 30 + 0.25)
            #expect(schedule.takeDue(at: due)?.skipped == 0)
        }
        #expect(schedule.next == .start + .seconds(30 * 1_051_200))
    }
}
