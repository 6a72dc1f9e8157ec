import RunLoop
import Synchronization

/// What a keep-alive runs: ticks on any clock, so that tests own time.
struct KeepAliveLoop<C: Clock>: Sendable where C.Duration == Duration {
    let clock: C
    let interval: Duration
    let requests: TickRequests
    let power: @Sendable () -> PowerState
    /// A tick's work; cancelled when the tick's budget is used up.
    let work: @Sendable (Tick) async -> TickOutcome
    /// Told of each outcome, and of the ticks that were skipped before it.
    let report: @Sendable (TickOutcome, _ skipped: Int) -> Void

    /// Ticks until the task is cancelled: the first one at once, the next ones at whole intervals from the first.
    /// A request comes between them and moves none of them.
    func run() async {
        let start = clock.now
        var schedule = TickSchedule(every: interval, from: .start)
        var number = 0
        var reason = TickReason.start
        while !Task.isCancelled {
            let now = Uptime(nanoseconds: start.duration(to: clock.now).wholeNanoseconds)
            let due = schedule.take(at: now)
            if due != nil || reason == .request {
                number += 1
                let skipped = due?.skipped ?? 0
                report(await perform(number, due == nil ? .request : reason, skipped), skipped)
            }
            reason = await waitForNext(start.advanced(by: schedule.next.sinceStart))
        }
    }

    private func perform(_ number: Int, _ reason: TickReason, _ skipped: Int) async -> TickOutcome {
        let begin = clock.now
        let tick = Tick(
            number: number, reason: reason, power: power(), budget: min(longestBudget, interval), skipped: skipped,
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
            group.addTask {
                await requests.wait()
                return .request
            }
            let first = await group.next() ?? .timer
            group.cancelAll()
            return first
        }
    }
}

/// Requests for a tick before its time: several at once are one.
final class TickRequests: Sendable {
    private struct State: ~Copyable {
        var isDue = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Asks for a tick; may be called on any thread.
    func request() {
        state.withLock { state in
            if let waiting = state.waiting.take() { waiting.resume() } else { state.isDue = true }
        }
    }

    /// Returns when a tick is asked for, or when the task is cancelled.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    if state.isDue || Task.isCancelled {
                        state.isDue = false
                        continuation.resume()
                    } else {
                        state.waiting = continuation
                    }
                }
            }
        } onCancel: {
            state.withLock { $0.waiting.take()?.resume() }
        }
    }
}
