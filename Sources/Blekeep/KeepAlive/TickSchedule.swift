import RunLoop

/// When ticks are due: the first at once, the next ones an interval after the last deadline, not after the last tick.
struct TickSchedule: Sendable, Hashable {
    /// As it is configured; what a schedule is called by.
    let base: Duration
    /// From tick to tick at the moment; `nil`: there are none.
    private(set) var interval: Duration?
    /// When the next tick is due.
    private(set) var next: Uptime
    private var last: Uptime?
    private var missed = 0

    init(every interval: Duration, from start: Uptime) {
        base = interval
        self.interval = interval
        next = start
    }

    /// The tick that is due at `now`, if one is, and how many were skipped since the last one.
    ///
    /// Deadlines that have passed are not made up for, and one that is late by more than half an interval is left
    /// out, too: the next one is nearer.
    ///
    /// - Parameter isCoalescing: whether the machine is awake for another tick anyway: then one that is due soon comes
    ///   along, and the machine need not wake for it. The deadlines stay where they are.
    mutating func take(at now: Uptime, isCoalescing: Bool = false) -> (deadline: Uptime, skipped: Int)? {
        guard let interval, now >= next || isCoalescing && next < .never && next - now <= window else { return nil }
        if now < next { return takeEarly(interval) }
        let step = max(1, interval.wholeNanoseconds)
        let late = now.nanoseconds - next.nanoseconds
        let passed = late / step
        let deadline = Uptime(nanoseconds: next.nanoseconds + passed * step)
        next = deadline + interval
        last = deadline
        missed += Int(clamping: passed)
        guard late % step <= step / 2 else {
            missed += 1
            return nil
        }
        defer { missed = 0 }
        return (deadline, missed)
    }

    /// How long before its deadline a tick may come along with others.
    private var window: Duration { interval.map { min($0 / 4, Self.longestWindow) } ?? .zero }
    static let longestWindow: Duration = .seconds(30)

    private mutating func takeEarly(_ interval: Duration) -> (deadline: Uptime, skipped: Int) {
        defer {
            last = next
            next = next + interval
            missed = 0
        }
        return (next, missed)
    }

    /// Another interval from now on, counted from the last deadline: what is overdue by it comes once, now.
    mutating func change(to interval: Duration?, at now: Uptime) {
        guard interval != self.interval else { return }
        let wasPaused = self.interval == nil
        self.interval = interval
        guard let interval else {
            next = .never
            return
        }
        if let last { next = max(now, last + interval) } else if wasPaused { next = now }
    }

    /// The machine has slept: one tick soon instead of all that passed, but none within 5 s of the last one.
    mutating func resume(at now: Uptime) {
        guard let interval, next < .never else { return }
        let soonest = last.map { $0 + min(interval, .seconds(5)) } ?? now
        next = min(max(now, soonest), max(now, next))
    }
}
