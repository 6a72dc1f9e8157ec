import Testing

@testable import RunLoop

@Suite struct GateTests {
    private final class Ends: @unchecked Sendable {
        var moments: [Uptime] = []
    }

    /// Lets tasks wait until these deadlines, while `script` runs, and returns when each ended.
    private func ends(
        of deadlines: [Duration], _ script: @escaping @Sendable (RunLoop, Gate) async throws -> Void
    ) throws -> [Duration] {
        let loop = try RunLoop(.virtual)
        return try loop.run {
            let (gate, ends) = (Gate(loop), Ends())
            try await withThrowingTaskGroup { group in
                for deadline in deadlines {
                    group.addTask {
                        await gate.wait(until: .start + deadline)
                        ends.moments.append(loop.now)
                    }
                }
                try await script(loop, gate)
                try await group.waitForAll()
            }
            return ends.moments.map(\.sinceStart)
        }
    }

    /// One forgotten task would keep the whole poller from ending.
    @Test func eachOfSeveralTasksEndsAtItsOwnDeadline() throws {
        #expect(try ends(of: [.seconds(3), .seconds(1), .seconds(2)]) { _, _ in } == [1, 2, 3].map { .seconds($0) })
    }

    @Test func openingResumesAllTasksThatWait() throws {
        let ends = try ends(of: [.seconds(30), .seconds(1), .seconds(20)]) { loop, gate in
            try await loop.sleep(until: .start + .seconds(5))
            gate.open()
        }
        #expect(ends == [.seconds(1), .seconds(5), .seconds(5)])
    }

    @Test func anOpeningWithoutATaskIsForTheNextOne() throws {
        let loop = try RunLoop(.virtual)
        let ends = try loop.run {
            let gate = Gate(loop)
            gate.open()
            gate.open()
            await gate.wait(until: .start + .seconds(1))
            let first = loop.now
            await gate.wait(until: .start + .seconds(1))
            return [first, loop.now].map(\.sinceStart)
        }
        #expect(ends == [.zero, .seconds(1)])
    }

    /// While the second task has yet to run, the first may already be at work again, and must hear of news.
    @Test func noOpeningIsLostBetweenTwoTasks() throws {
        let loop = try RunLoop(.virtual)
        let end = try loop.run {
            let gate = Gate(loop)
            return try await withThrowingTaskGroup(of: Uptime?.self) { group in
                group.addTask {
                    await gate.wait(until: .start + .seconds(60))
                    loop.soon { gate.open() }
                    await Task.yield()
                    await gate.wait(until: .start + .seconds(60))
                    return loop.now
                }
                group.addTask {
                    await gate.wait(until: .start + .seconds(60))
                    return nil
                }
                try await loop.sleep(until: .start + .seconds(5))
                gate.open()
                var end: Uptime?
                for try await each in group { end = each ?? end }
                return end
            }
        }
        #expect(end == .start + .seconds(5))
    }
}
