import RunLoop
import Synchronization

/// The loop of a `KeepAlive`, generic over the clock, so that tests control time.
struct KeepAliveLoop<C: Clock>: Sendable where C.Duration == Duration {
    let clock: C
    let plan: TickTimer.Plan
    let mode: @Sendable () -> PowerMode
    /// Returns whether a user is watching.
    var isWatched: @Sendable () -> Bool = { false }
    let requests: TickRequests
    let power: @Sendable () -> PowerState
    /// Called at each wake-up. Returns whether the machine slept unannounced.
    var noticeSleep: @Sendable () -> Bool = { false }
    /// Called with the time of the next tick, before each wait for it.
    var willWait: @Sendable (C.Instant) -> Void = { _ in }
    /// The work of a tick, cancelled at the end of its budget.
    let work: @Sendable (Tick) async -> TickOutcome
    /// Called with each outcome, and with the ticks before it that didn't come.
    let report: @Sendable (TickOutcome, KeepAlive.Statistics.Missed) -> Void

    /// Ticks until the task is cancelled: at once, and then at whole intervals from the first tick. A requested tick
    /// doesn't move the others. After the machine's sleep, one tick comes at once.
    func run() async {
        let start = clock.now
        var timer = TickTimer(plan, from: .start)
        var wake = TickReason.start
        var missed = KeepAlive.Statistics.Missed()
        while !Task.isCancelled {
            let now = Uptime(nanoseconds: start.duration(to: clock.now).wholeNanoseconds)
            if noticeSleep() || wake == .resume { missed.asleep += timer.resume(at: now) }
            if wake == .request { timer.request(at: now) }
            timer.setWatched(isWatched(), in: mode(), at: now)
            if let due = timer.takeDue(at: now) {
                missed.late = due.skipped
                let outcome = await perform(due, skipped: missed.total)
                report(outcome, missed)
                missed = KeepAlive.Statistics.Missed()
                timer.adapt(
                    to: outcome, in: mode(), at: Uptime(nanoseconds: start.duration(to: clock.now).wholeNanoseconds))
            }
            let next = start.advanced(by: timer.next().sinceStart)
            willWait(next)
            wake = await waitForNext(next)
        }
    }

    private func perform(_ due: DueTick, skipped: Int) async -> TickOutcome {
        let begin = clock.now
        let tick = Tick(
            number: due.number, reason: due.reason, power: power(), budget: due.budget, skipped: skipped,
            elapsed: { [clock] in begin.duration(to: clock.now) })
        return await withTaskGroup(of: TickOutcome?.self) { group in
            group.addTask { await work(tick) }
            group.addTask {
                try? await clock.sleep(until: begin.advanced(by: tick.budget), tolerance: nil)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first ?? .failed
        }
    }

    private func waitForNext(_ deadline: C.Instant) async -> TickReason {
        await withTaskGroup(of: TickReason.self) { group in
            group.addTask {
                try? await clock.sleep(until: deadline, tolerance: nil)
                return .timer
            }
            group.addTask { await requests.wait() }
            let first = await group.next() ?? .timer
            group.cancelAll()
            return first
        }
    }
}

/// The events between ticks: a request for a tick, the machine's wake-up, or a new interval.
final class TickRequests: Sendable {
    private struct State: ~Copyable {
        /// The event that waits. A request has priority over a new interval.
        var due: TickReason?
        var waiting: CheckedContinuation<TickReason, Never>?
    }

    private let state = Mutex(State())

    /// Requests a tick, from any thread. Several requests may give a single tick.
    func request() { wake(.request) }

    /// Call this after the machine's sleep.
    func resume() { wake(.resume) }

    /// Call this when the interval may have changed. That gives no tick.
    func change() { wake(.timer) }

    private func wake(_ reason: TickReason) {
        state.withLock { state in
            if let waiting = state.waiting.take() { return waiting.resume(returning: reason) }
            if state.due == nil || state.due == .timer { state.due = reason }
        }
    }

    /// Waits for an event, or until the task is cancelled.
    @discardableResult
    func wait() async -> TickReason {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    if state.due != nil || Task.isCancelled {
                        continuation.resume(returning: state.due.take() ?? .timer)
                    } else {
                        state.waiting = continuation
                    }
                }
            }
        } onCancel: {
            state.withLock { $0.waiting.take()?.resume(returning: .timer) }
        }
    }
}
