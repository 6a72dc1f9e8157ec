import BusBench
import RunLoop
import Synchronization
import Testing

@testable import BlekeepKeepAlive

@Suite struct KeepAliveLoopTests {
    private struct Log {
        var ticks: [(Int, Duration, TickReason, Int)] = []
        var outcomes: [TickOutcome] = []
        var missed: [KeepAlive.Statistics.Missed] = []
    }

    /// Runs a keep-alive of 30 s in virtual time for this long. `work` returns the length of each tick's work.
    private func run(
        for length: Duration,
        mode: @escaping @Sendable (Duration) -> PowerMode = { _ in .normal }, isAdaptive: Bool = false,
        isWatched: @escaping @Sendable (Duration) -> Bool = { _ in false },
        work: @escaping @Sendable (Int) -> Duration = { _ in .zero },
        outcome: @escaping @Sendable (Int) -> TickOutcome = { _ in .newData },
        requests: @escaping @Sendable (TickRequests, LoopClock) async -> Void = { _, _ in }
    ) throws -> Log {
        let loop = try RunLoop(.virtual)
        let log = Mutex(Log())
        let asked = TickRequests()
        let asleep = Mutex(Duration.zero)
        let ticking = KeepAliveLoop(
            clock: loop.clock,
            plan: TickTimer.Plan(
                intervals: [.seconds(30)], powerIntervals: PowerIntervals(critical: .pause),
                adaptive: isAdaptive ? .zero ... .seconds(86_400) : nil),
            mode: { mode(loop.now.sinceStart) }, isWatched: { isWatched(loop.now.sinceStart) }, requests: asked,
            power: { .mains },
            noticeSleep: {
                let new = loop.timeAsleep
                return asleep.withLock { old in
                    defer { old = new }
                    return new > old
                }
            },
            work: { tick in
                let now = loop.now.sinceStart
                log.withLock { $0.ticks.append((tick.number, now, tick.reason, tick.skipped)) }
                try? await loop.sleep(until: loop.now + work(tick.number))
                return outcome(tick.number)
            },
            report: { outcome, missed in
                log.withLock {
                    $0.outcomes.append(outcome)
                    $0.missed.append(missed)
                }
            })
        try loop.run {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await ticking.run() }
                group.addTask { await requests(asked, loop.clock) }
                try? await loop.sleep(until: .start + length)
                group.cancelAll()
            }
        }
        return log.withLock { $0 }
    }

    @Test func firstTickAtOnceThenEveryThirtySecondsWithoutDrift() throws {
        let log = try run(for: .seconds(100), work: { _ in .milliseconds(1700) })
        #expect(log.ticks.map(\.1) == [.zero, .seconds(30), .seconds(60), .seconds(90)])
        #expect(log.ticks.map(\.2) == [.start, .timer, .timer, .timer])
        #expect(log.outcomes == [.newData, .newData, .newData, .newData])
    }

    @Test func workBeyondTheBudgetIsCancelledAndFailed() throws {
        let log = try run(for: .seconds(70), work: { $0 == 1 ? .seconds(500) : .zero })
        #expect(log.outcomes.first == .failed)
        #expect(log.ticks.map(\.1) == [.zero, .seconds(30), .seconds(60)])
    }

    @Test func aRequestedTickDoesNotMoveTheSchedule() throws {
        let log = try run(
            for: .seconds(65),
            requests: { requests, clock in
                try? await clock.sleep(until: .start + .seconds(12))
                requests.request()
            })
        #expect(log.ticks.map(\.1) == [.zero, .seconds(12), .seconds(30), .seconds(60)])
        #expect(log.ticks.map(\.2) == [.start, .request, .timer, .timer])
    }

    @Test func thePowerModeSlowsTicksDownAndAChangeCausesNone() throws {
        let log = try run(
            for: .seconds(1300),
            mode: { now in now < .seconds(70) ? .normal : now < .seconds(1000) ? .low : .critical },
            requests: { requests, clock in
                for moment in [70, 1000] {
                    try? await clock.sleep(until: .start + .seconds(moment))
                    requests.change()
                }
            })
        #expect(log.ticks.map(\.1) == [0, 30, 60, 360, 660, 960].map { .seconds($0) })
    }

    @Test func unchangedValuesLengthenTheIntervalAndNewOnesOrAUserResetIt() throws {
        let log = try run(
            for: .seconds(700),
            isAdaptive: true, isWatched: { $0 >= .seconds(500) },
            outcome: { _ in .noData },
            requests: { requests, clock in
                try? await clock.sleep(until: .start + .seconds(500))
                requests.change()
            })
        let gaps = zip(log.ticks, log.ticks.dropFirst()).map { ($1.1 - $0.1) / .seconds(1) }
        #expect(gaps.prefix(5).contains { $0 > 110 })
        #expect(gaps.max().map { $0 <= 126 } == true)
        #expect(gaps.suffix(4) == [30, 30, 30, 30])
    }

    @Test func aSleepIsFollowedByOneTickAtOnceWhetherAnnouncedOrNot() throws {
        for isAnnounced in [true, false] {
            let log = try run(
                for: .seconds(3800),
                requests: { requests, clock in
                    try? await clock.sleep(until: .start + .seconds(40))
                    clock.loop.sleepMachine(for: .seconds(3600))
                    if isAnnounced { requests.resume() }
                })
            #expect(log.ticks.prefix(4).map(\.1) == [0, 30, 3640, 3670].map { .seconds($0) })
            #expect(log.ticks[2].2 == .resume && log.ticks[2].3 == 119)
            #expect(log.missed[2].asleep == 119 && log.missed.allSatisfy { $0.late == 0 })
        }
    }

    @Test func aRequestedTickTakesOneAlongThatIsDueSoon() throws {
        let log = try run(
            for: .seconds(65),
            requests: { requests, clock in
                try? await clock.sleep(until: .start + .seconds(25))
                requests.request()
            })
        #expect(log.ticks.map(\.1) == [.zero, .seconds(25), .seconds(60)])
        #expect(log.ticks[1].2 == .request && log.ticks[2].3 == 0)
    }

    @Test func theMachineWakesForTheNextTickButNotSoon() throws {
        let loop = try RunLoop(.virtual)
        nonisolated(unsafe) var alarms: [Duration?] = []
        try loop.run {
            let machine = Machine(on: loop, wake: { alarms.append($0) })
            for minutes in [1, 60] {
                machine.nextTick = loop.now + .seconds(minutes * 60)
                machine.handle(.preparing(.sleep))
                machine.handle(.resumed("back"))
            }
        }
        #expect(alarms == [.seconds(900), nil, .seconds(3600), nil])
    }

    @Test func aWeekTakesNoTime() throws {
        let log = try run(for: .seconds(7 * 86_400))
        #expect(log.ticks.count == 20_160)
    }
}

@Suite struct KeepAliveTests {
    @Test func ticksInAProgramOfAnyKind() async {
        let keepAlive = KeepAlive()
        let (stream, continuation) = AsyncStream.makeStream(of: Tick.self)
        keepAlive.onKeepAliveCallback = { tick in
            continuation.yield(tick)
            return .newData
        }
        #expect(keepAlive.start(interval: .milliseconds(20)))
        var seen: [Tick] = []
        for await tick in stream {
            seen.append(tick)
            if seen.count == 3 { break }
        }
        keepAlive.stop()
        #expect(seen.map(\.number) == [1, 2, 3])
        #expect(seen[0].reason == .start)
        #expect(seen[0].budget == .milliseconds(20))
        #expect(!keepAlive.isRunning)
    }

    @Test func ticksAsASequenceThatEndsWithStop() async {
        let keepAlive = KeepAlive()
        let ticks = keepAlive.ticks
        keepAlive.start(interval: .seconds(3600))
        var count = 0
        for await tick in ticks {
            count += 1
            #expect(tick.number == count)
            if count == 1 { keepAlive.requestTick() } else { keepAlive.stop() }
        }
        #expect(count == 2)
    }

    @Test func endsWithItsLastReference() async {
        let (life, end) = AsyncStream.makeStream(of: Void.self)
        do {
            let (keepAlive, mark) = (KeepAlive(), LifeMark(end))
            keepAlive.onKeepAliveCallback = { _ in withExtendedLifetime(mark) { .noData } }
            keepAlive.start(interval: .seconds(3600))
            #expect(keepAlive.isRunning)
        }
        for await _ in life {}
    }

    @Test func itsTicksKeepIt() async {
        func begin() -> AsyncStream<Tick> {
            let keepAlive = KeepAlive()
            keepAlive.start(interval: .milliseconds(20))
            return keepAlive.ticks
        }
        var count = 0
        for await _ in begin() {
            count += 1
            if count == 3 { break }
        }
        #expect(count == 3)
    }

    @Test func backgroundTasksRunWithAndWithoutAKeepAlive() async throws {
        let keepAlive = KeepAlive()
        #expect(await keepAlive.withBackgroundTask(named: "before") { 1 } == 1)
        keepAlive.start(interval: .seconds(3600))
        #expect(keepAlive.backgroundTimeRemaining == nil)
        let (expired, continuation) = AsyncStream.makeStream(of: Void.self)
        // Longer than its budget: it expires, and goes on until it ends by itself.
        let value = await keepAlive.withBackgroundTask(
            named: "long", budget: .milliseconds(10), onExpiration: { continuation.yield() }
        ) {
            for await _ in expired { return 2 }
            return 3
        }
        #expect(value == 2)
        keepAlive.stop()
        #expect(await keepAlive.withBackgroundTask(named: "after") { 4 } == 4)
    }

    @Test func sharedIsOne() {
        #expect(KeepAlive.shared === KeepAlive.shared)
    }
}
