import RunLoop
import Testing

@testable import BlekeepRecords

/// The limit for commands and events.
@Suite struct CommandBudgetTests {
    @Test func someAtOnceAndThenOneASecond() {
        var budget = CommandBudget()
        func taken(_ count: Int, at now: Uptime) -> Int { (0..<count).count { _ in budget.spend(at: now) } }
        let start = Uptime.start + .seconds(1000)
        #expect(taken(100, at: start) == CommandBudget.maxCommands)
        #expect(taken(5, at: start + .milliseconds(900)) == 0)
        #expect(taken(5, at: start + .seconds(1)) == 1)
        #expect(taken(100, at: start + .seconds(3600)) == CommandBudget.maxCommands)
    }
}
