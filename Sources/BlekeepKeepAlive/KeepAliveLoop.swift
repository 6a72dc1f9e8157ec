import RunLoop
import Synchronization

/// The loop of a `KeepAlive`, generic over the clock, so that tests control time.
struct KeepAliveLoop<C: Clock>: Sendable where C.Duration == Duration {
    let clock: C
    /// The usual interval.
    let base: Duration
    /// Returns the current interval.
    let pace: @Sendable () -> Pace
    let requests: TickRequests
    let power: @Sendable () -> PowerState
    /// Called at each wake-up. Returns whether the machine slept unannounced.
    var noticeSleep: @Sendable () -> Bool = { false }
    /// The work of a tick, cancelled at the end of its budget.
    let work: @Sendable (Tick) async -> TickOutcome
    /// Called with each outcome, and with the ticks before it that didn't come.
    let report: @Sendable (TickOutcome, KeepAlive.Statistics.Missed) -> Void

    /// The current interval.
    struct Pace: Sendable, Hashable {
        /// The interval of the power mode; `nil` for no ticks.
        var interval: Duration?
        /// Whether the interval may stretch.
        var isAdaptive = false
    }

    /// Ticks until the task is cancelled: at once, and then at whole intervals from the first tick. A requested tick
    /// doesn't move the others. After the machine's sleep, one tick comes at once.
    func run() async {
        let start = clock.now
        var schedule = TickSchedule(every: base, from: .start)
        var adaptive = AdaptiveInterval(bounds: .zero ... .seconds(86_400), seed: 0)
        var number = 0
        var wake = TickReason.start
        var missed = KeepAlive.Statistics.Missed()
        while !Task.isCancelled {
            let now = Uptime(nanoseconds: start.duration(to: clock.now).wholeNanoseconds)
            if noticeSleep() { wake = .resume }
            if wake == .resume { missed.asleep += schedule.resume(at: now) }
            let pace = pace()
            schedule.change(to: pace.interval.map { pace.isAdaptive ? adaptive.interval(of: $0) : $0 }, at: now)
            let due = schedule.takeDue(at: now)
            if due != nil || wake == .request {
                number += 1
                missed.late = due?.skipped ?? 0
                let outcome = await perform(
                    tick: number, because: due == nil ? .request : number == 1 ? .start : wake, skipped: missed.total)
                adaptive.adapt(to: outcome)
                report(outcome, missed)
                missed = KeepAlive.Statistics.Missed()
                let next = pace.interval.map { pace.isAdaptive ? adaptive.interval(of: $0) : $0 }
                schedule.change(to: next, at: Uptime(nanoseconds: start.duration(to: clock.now).wholeNanoseconds))
            }
            wake = await waitForNext(start.advanced(by: schedule.next.sinceStart))
        }
    }

    private func perform(tick number: Int, because reason: TickReason, skipped: Int) async -> TickOutcome {
        let begin = clock.now
        let tick = Tick(
            number: number, reason: reason, power: power(), budget: min(longestBudget, base), skipped: skipped,
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
