import RunLoop

/// The times of ticks: the first at once, then an interval after the last deadline, not after the last tick.
package struct TickSchedule: Sendable, Hashable {
    /// The configured interval, which identifies the schedule.
    package let base: Duration
    /// The current interval; `nil` while there are no ticks.
    package private(set) var interval: Duration?
    /// When the next tick is due.
    package private(set) var next: Uptime
    /// The last deadline; `nil` before the first tick.
    package private(set) var last: Uptime?
    private var missed = 0

    package init(every interval: Duration, from start: Uptime) {
        base = interval
        self.interval = interval
        next = start
    }

    /// - Parameter last: the device's last tick; `nil` for a first tick at once.
    package init(every interval: Duration, after last: Uptime?, at now: Uptime) {
        self.init(every: interval, from: last.map { max(now, $0 + interval) } ?? now)
        self.last = last
    }

    /// Takes a due tick, and returns its deadline and the number of skipped ticks since the last one.
    ///
    /// A tick that is late by more than half an interval is skipped, because the next one is nearer.
    ///
    /// - Parameter isCoalescing: whether the machine is awake for another tick. Then a tick that is due soon comes, too.
    ///   The deadlines don't move.
    package mutating func takeDue(at now: Uptime, isCoalescing: Bool = false) -> (deadline: Uptime, skipped: Int)? {
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

    /// How long before its deadline a tick may come together with others.
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

    /// Changes the interval, counted from the last deadline. If a tick is then overdue, a single tick is due now.
    package mutating func change(to interval: Duration?, at now: Uptime) {
        guard interval != self.interval else { return }
        let wasPaused = self.interval == nil
        self.interval = interval
        guard let interval else {
            next = .never
            return
        }
        if let last { next = max(now, last + interval) } else if wasPaused { next = now }
    }

    /// Makes a single tick due after the machine's sleep, at least 5 s after the last one.
    ///
    /// - Returns: the number of ticks that didn't come meanwhile, besides that one.
    @discardableResult
    package mutating func resume(at now: Uptime) -> Int {
        guard let interval, next < .never else { return 0 }
        let passed = max(0, now.nanoseconds - next.nanoseconds) / max(1, interval.wholeNanoseconds)
        let soonest = last.map { $0 + min(interval, .seconds(5)) } ?? now
        next = min(max(now, soonest), max(now, next))
        return Int(clamping: passed)
    }
}
