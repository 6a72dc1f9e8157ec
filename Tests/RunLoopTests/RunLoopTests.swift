import Glibc
import RunLoop
import Testing

struct RunLoopTests {
    // MARK: Virtual time

    @Test func aWeekTakesNoTime() throws {
        let start = ContinuousClock.now
        let loop = try RunLoop(.virtual)
        let end = try loop.run { () -> Uptime in
            for _ in 0..<7 { try await loop.sleep(until: loop.now + .seconds(86400)) }
            return loop.now
        }
        #expect(end.sinceStart == .seconds(7 * 86400))
        #expect(ContinuousClock.now - start < .seconds(3600))
    }

    @Test func timersFireByDeadlineThenInTheOrderOfArming() throws {
        let loop = try RunLoop(.virtual)
        let fired = try loop.run { () -> [Int] in
            let log = Log()
            for (index, seconds) in [3, 1, 2, 1, 3].enumerated() {
                loop.schedule(at: .start + .seconds(seconds)) { log.entries.append(index) }
            }
            try await loop.sleep(until: .start + .seconds(3))
            return log.entries
        }
        #expect(fired == [1, 3, 2, 0, 4])
    }

    @Test func timersCanBeDisarmedAndArmedAgain() throws {
        let loop = try RunLoop(.virtual)
        let fired = try loop.run { () -> [Int] in
            let log = Log()
            let never = loop.schedule(at: .start + .seconds(1)) { log.entries.append(1) }
            let later = loop.schedule(at: .start + .seconds(1)) { log.entries.append(2) }
            loop.disarm(never)
            loop.arm(later, at: .start + .seconds(5))
            #expect(!never.isArmed && later.isArmed)
            try await loop.sleep(until: .start + .seconds(2))
            log.entries.append(3)
            try await loop.sleep(until: .start + .seconds(9))
            return log.entries
        }
        #expect(fired == [3, 2])
    }

    @Test func waitingForeverIsAnError() throws {
        let loop = try RunLoop(.virtual)
        #expect(throws: RunLoopError.stalled) {
            try loop.run { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
        }
    }

    @Test func sleepingForeverIsAnError() throws {
        let loop = try RunLoop(.virtual)
        #expect(throws: RunLoopError.stalled) { try loop.run { try await loop.sleep(until: .never) } }
    }

    @Test func cancelledSleepersWakeAtOnce() throws {
        let loop = try RunLoop(.virtual)
        let end = try loop.run { () -> Uptime in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { try? await loop.sleep(until: .start + .seconds(3600)) }
                try? await loop.sleep(until: .start + .seconds(1))
                group.cancelAll()
            }
            return loop.now
        }
        #expect(end.sinceStart == .seconds(1))
    }

    @Test func errorsOfTheBodyAreThrown() throws {
        struct Oops: Error {}
        let loop = try RunLoop(.virtual)
        #expect(throws: Oops.self) { try loop.run { throw Oops() } }
    }

    @Test func everythingRunsOnTheLoop() throws {
        let loop = try RunLoop(.virtual)
        let places = try loop.run {
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        try? await loop.sleep(until: loop.now + .seconds(1))
                        return loop.isCurrent
                    }
                }
                return await group.reduce(into: [Bool]()) { $0.append($1) }
            }
        }
        #expect(places == Array(repeating: true, count: 10))
        #expect(!loop.isCurrent)
    }

    // MARK: Real time

    @Test func realSleepsLastAsLongAsTheyShould() async throws {
        let slept = try await onRunLoop { loop in
            let start = loop.now
            try await loop.sleep(until: start + .milliseconds(30))
            return loop.now - start
        }
        #expect(slept >= .milliseconds(30))
    }

    @Test func descriptorsAreWatchedUntilTheyAreNot() async throws {
        let read = try await onRunLoop { loop in
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            let (reading, writing) = (ends[0], ends[1])
            defer {
                close(reading)
                close(writing)
            }
            let log = Log()
            let byte: UInt8 = 1
            let watch = loop.watch(reading, for: Int16(POLLIN)) { _ in
                var byte: UInt8 = 0
                _ = Glibc.read(reading, &byte, 1)
                log.entries.append(Int(byte))
            }
            for _ in 0..<3 {
                withUnsafePointer(to: byte) { _ = write(writing, $0, 1) }
                try await loop.sleep(until: loop.now + .milliseconds(5))
            }
            loop.unwatch(watch)
            withUnsafePointer(to: byte) { _ = write(writing, $0, 1) }
            try await loop.sleep(until: loop.now + .milliseconds(5))
            return log.entries
        }
        #expect(read == [1, 1, 1])
    }

    @Test func otherThreadsWakeTheLoop() async throws {
        let isOnLoop = try await onRunLoop { loop in
            let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
            try LoopThread.start {
                loop.perform {
                    answer.yield(loop.isCurrent)
                    answer.finish()
                }
            }
            return await answers.first { _ in true } == true
        }
        #expect(isOnLoop)
    }

    // MARK: Parts

    private final class Log: @unchecked Sendable {
        var entries: [Int] = []
    }
}
