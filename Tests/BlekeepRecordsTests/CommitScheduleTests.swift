import RunLoop
import Testing

@testable import BlekeepRecords

@Suite struct CommitScheduleTests {
    /// Runs a story in virtual time.
    ///
    /// - Returns: when commits came due, in milliseconds, and whether they were to be durable.
    private func dues(_ story: @escaping @Sendable (CommitSchedule, RunLoop) async throws -> Void) throws -> [String] {
        let loop = try RunLoop(.virtual)
        nonisolated(unsafe) let schedule = CommitSchedule(on: loop)
        nonisolated(unsafe) var dues: [String] = []
        schedule.onDue = { dues.append("\(loop.now.sinceStart.wholeMilliseconds)\($0 ? " durable" : "")") }
        try loop.run {
            try await story(schedule, loop)
            schedule.end()
        }
        return dues
    }

    @Test func `commits one second after the first of several readings`() throws {
        let dues = try dues { schedule, loop in
            schedule.comeSoon()
            try await loop.sleep(until: .start + .milliseconds(600))
            schedule.comeSoon()
            try await loop.sleep(until: .start + .seconds(5))
        }
        #expect(dues == ["1000"])
    }

    @Test func `leaves the retry alone when something comes while the store fails`() throws {
        let dues = try dues { schedule, loop in
            for _ in 0..<3 { schedule.failed() }
            #expect(schedule.isFailing)
            schedule.comeSoon()
            try await loop.sleep(until: .start + .seconds(10))
        }
        #expect(dues == ["4000"])
    }

    @Test func `makes a commit durable 40 s after a change that nothing else makes durable`() throws {
        let dues = try dues { schedule, loop in
            _ = schedule.succeeded(durable: false, isEmpty: false)
            schedule.comeBack(at: .never)
            try await loop.sleep(until: .start + .seconds(40))
        }
        #expect(dues == ["40000 durable"])
    }

    @Test func `commits at once before a sleep or the end, unless the store fails`() throws {
        let schedule = CommitSchedule(on: try RunLoop(.virtual))
        #expect(!schedule.isUrgent(isResting: false))
        #expect(schedule.isUrgent(isResting: true))
        schedule.hurry()
        #expect(schedule.isUrgent(isResting: false))
        schedule.failed()
        #expect(!schedule.isUrgent(isResting: true))
        #expect(schedule.succeeded(durable: true, isEmpty: true) == "writing to the history again")
        #expect(schedule.isUrgent(isResting: false))
    }
}
