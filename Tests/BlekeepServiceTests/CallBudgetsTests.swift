import DBus
import RunLoop
import Testing

@testable import BlekeepService

/// The limits of callers.
@Suite struct CallBudgetsTests {
    private var budgets = CallBudgets(maxCalls: 3, every: .seconds(1))

    private mutating func taken(_ count: Int, from user: UInt32, at now: Uptime) -> Int {
        (0..<count).count { _ in budgets.spend(by: user, at: now) }
    }

    @Test mutating func eachUserHasItsOwn() {
        let counts = [
            taken(9, from: 1, at: .start), taken(9, from: 2, at: .start), taken(9, from: 1, at: .start + .seconds(1)),
            taken(9, from: 1, at: .start + .seconds(100)),
        ]
        #expect(counts == [3, 3, 1, 3])
    }

    @Test mutating func theMemoryIsBounded() {
        let first = taken(9, from: 0, at: .start)
        for user in 1...UInt32(CallBudgets.maxUsers) { _ = taken(1, from: user, at: .start) }
        // The oldest is forgotten.
        let again = taken(9, from: 0, at: .start)
        #expect([first, again] == [3, 3])
    }
}

@Suite struct CallersTests {
    private var callers = Callers()

    private static func name(_ number: Int) -> BusName { BusName(unchecked: ":1.\(number)") }

    /// The answers to this many calls, in their order.
    private mutating func admissions(_ count: Int, from number: Int, at now: Uptime = .start) -> [Admission] {
        (0..<count).map { _ in callers.admission(of: Self.name(number), at: now) }
    }

    @Test mutating func aCallWaitsUntilItsUserIsKnown() {
        let first = admissions(Callers.maxWaiting + 1, from: 1)
        #expect(first == Array(repeating: .wait, count: Callers.maxWaiting) + [.ignore])
        let queries = [callers.nextQuery(), callers.nextQuery()]
        #expect(queries == [Self.name(1), nil])
        callers.know(Self.name(1), user: 1000)
        let second = admissions(1, from: 1)
        #expect(second == [.answer])
    }

    /// 200 connections of a user have as much as one.
    @Test mutating func theConnectionsOfAUserShareItsLimits() {
        for number in 1...200 { callers.know(Self.name(number), user: 65534) }
        callers.know(Self.name(1000), user: 0)
        var counts: [Admission: Int] = [:]
        for number in 1...200 {
            for admission in admissions(10, from: number) { counts[admission, default: 0] += 1 }
        }
        #expect(counts[.answer] == 50)
        #expect(counts[.ignore] == 1850)
        let root = admissions(1, from: 1000)
        #expect(root == [.answer])
        let later = admissions(2, from: 7, at: .start + .milliseconds(100))
        #expect(later.first == .answer && later.last != .answer)
    }

    @Test mutating func theMemoryIsBounded() {
        for number in 0..<2 * Callers.maxUnknown { _ = callers.admission(of: Self.name(number), at: .start) }
        var queries = 0
        while let sender = callers.nextQuery() {
            queries += 1
            callers.know(sender, user: queries.isMultiple(of: 2) ? 1000 : nil)
        }
        #expect(queries == Callers.maxUnknown)
        for number in 0..<2 * Callers.maxKnown { callers.know(Self.name(number), user: 1000) }
        #expect(callers.user(of: Self.name(0)) == nil)
        #expect(callers.user(of: Self.name(2 * Callers.maxKnown - 1)) == 1000)
    }
}
