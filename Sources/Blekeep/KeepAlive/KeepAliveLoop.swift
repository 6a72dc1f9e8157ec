import RunLoop
import Synchronization

/// What a keep-alive runs: ticks on any clock, so that tests own time.
struct KeepAliveLoop<C: Clock>: Sendable where C.Duration == Duration {
    let clock: C
    /// From tick to tick, while nothing has to be saved.
    let base: Duration
    /// What slows the ticks down at the moment.
    let pace: @Sendable () -> Pace
    let requests: TickRequests
    let power: @Sendable () -> PowerState
    /// Asked at each wake-up: whether the machine has slept without a word.
    var noticeSleep: @Sendable () -> Bool = { false }
    /// A tick's work; cancelled when the tick's budget is used up.
    let work: @Sendable (Tick) async -> TickOutcome
    /// Told of each outcome, and of the ticks that were skipped before it.
    let report: @Sendable (TickOutcome, _ skipped: Int) -> Void

    /// What a power mode and a person make of the interval.
    struct Pace: Sendable, Hashable {
        /// The power mode's interval; `nil`: no ticks.
        var interval: Duration?
        /// Whether the interval may stretch while nothing is new.
        var isAdaptive = false
    }

    /// Ticks until the task is cancelled: the first one at once, the next ones at whole intervals from the first.
    /// A request comes between them and moves none of them; a sleep of the machine is followed by one tick.
    func run() async {
        let start = clock.now
        var schedule = TickSchedule(every: base, from: .start)
        var adaptive = AdaptiveInterval(bounds: .zero ... .seconds(86_400), seed: 0)
        var number = 0
        var wake = TickReason.start
        while !Task.isCancelled {
            let now = Uptime(nanoseconds: start.duration(to: clock.now).wholeNanoseconds)
            if noticeSleep() { wake = .resume }
            if wake == .resume { schedule.resume(at: now) }
            let pace = pace()
            schedule.change(to: pace.interval.map { pace.isAdaptive ? adaptive.interval(of: $0) : $0 }, at: now)
            let due = schedule.take(at: now)
            if due != nil || wake == .request {
                number += 1
                let skipped = due?.skipped ?? 0
                let outcome = await perform(number, due == nil ? .request : number == 1 ? .start : wake, skipped)
                adaptive.take(outcome)
                report(outcome, skipped)
                let next = pace.interval.map { pace.isAdaptive ? adaptive.interval(of: $0) : $0 }
                schedule.change(to: next, at: Uptime(nanoseconds: start.duration(to: clock.now).wholeNanoseconds))
            }
            wake = await waitForNext(start.advanced(by: schedule.next.sinceStart))
        }
    }

    private func perform(_ number: Int, _ reason: TickReason, _ skipped: Int) async -> TickOutcome {
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

/// What a keep-alive is to hear between ticks: requests for a tick, the machine's wake-up, another pace.
final class TickRequests: Sendable {
    private struct State: ~Copyable {
        /// What nobody has heard yet; a request is not lost for anything else.
        var due: TickReason?
        var waiting: CheckedContinuation<TickReason, Never>?
    }

    private let state = Mutex(State())

    /// Asks for a tick; may be called on any thread. Several requests at once are one.
    func request() { wake(.request) }

    /// The machine has slept.
    func resume() { wake(.resume) }

    /// The interval may be another: no tick for that.
    func change() { wake(.timer) }

    private func wake(_ reason: TickReason) {
        state.withLock { state in
            if let waiting = state.waiting.take() { return waiting.resume(returning: reason) }
            if state.due == nil || state.due == .timer { state.due = reason }
        }
    }

    /// Returns when there is something to hear, or when the task is cancelled.
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
