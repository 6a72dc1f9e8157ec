import RunLoop

/// When ticks are due: the first at once, the next ones an interval after the last deadline, not after the last tick.
struct TickSchedule: Sendable, Hashable {
    let interval: Duration
    /// When the next tick is due.
    private(set) var next: Uptime
    private var missed = 0

    init(every interval: Duration, from start: Uptime) {
        self.interval = interval
        next = start
    }

    /// The tick that is due at `now`, if one is, and how many were skipped since the last one.
    ///
    /// Deadlines that have passed are not made up for, and one that is late by more than half an interval is left
    /// out, too: the next one is nearer.
    mutating func take(at now: Uptime) -> (deadline: Uptime, skipped: Int)? {
        guard now >= next else { return nil }
        let step = max(1, interval.wholeNanoseconds)
        let late = now.nanoseconds - next.nanoseconds
        let passed = late / step
        let deadline = Uptime(nanoseconds: next.nanoseconds + passed * step)
        next = deadline + interval
        missed += Int(clamping: passed)
        guard late % step <= step / 2 else {
            missed += 1
            return nil
        }
        defer { missed = 0 }
        return (deadline, missed)
    }
}
