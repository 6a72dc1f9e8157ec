import RunLoop
import Testing

@testable import BlekeepService

/// The limits of callers.
@Suite struct CallBudgetsTests {
    private var budgets = CallBudgets(most: 3, every: .seconds(1))

    private mutating func taken(_ count: Int, from sender: String, at now: Uptime) -> Int {
        (0..<count).count { _ in budgets.take(from: .init(unchecked: sender), at: now) }
    }

    @Test mutating func eachCallerHasItsOwn() {
        #expect(taken(9, from: ":1.1", at: .start) == 3)
        #expect(taken(9, from: ":1.2", at: .start) == 3)
        #expect(taken(9, from: ":1.1", at: .start + .seconds(1)) == 1)
        #expect(taken(9, from: ":1.1", at: .start + .seconds(100)) == 3)
    }

    @Test mutating func theMemoryIsBounded() {
        #expect(taken(9, from: ":1.0", at: .start) == 3)
        for number in 1...CallBudgets.mostSenders { _ = taken(1, from: ":1.\(number)", at: .start) }
        // The oldest is forgotten.
        #expect(taken(9, from: ":1.0", at: .start) == 3)
    }
}
