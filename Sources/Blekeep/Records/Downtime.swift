/// A gap in which nothing was kept, and why.
package struct Downtime: Sendable, Hashable {
    package enum Cause: String, Sendable, Hashable, CaseIterable {
        /// The keeper was told to end, and the machine ran on.
        case stopped
        /// The keeper ended without a word, and the machine ran on.
        case crash
        /// The machine slept.
        case suspend
        /// The machine was started anew, in order and soon.
        case reboot
        /// The machine was without power: it ended without a word, or was off for longer.
        case powerOff = "power-off"
        case unknown
    }

    package var cause: Cause
    /// The last sign of life. The gap begins then or somewhat later: heartbeats are a minute apart or more.
    package var from: ClockReading
    package var to: ClockReading
    /// How long it was, as far as any clock tells.
    package var length: Duration?

    package init(cause: Cause, from: ClockReading, to: ClockReading, length: Duration?) {
        self.cause = cause
        self.from = from
        self.to = to
        self.length = length
    }

    /// A start in order takes less than this.
    static let longestReboot: Duration = .seconds(300)
    /// A time of day that has moved by more was wrong before or is now.
    static let longestBelieved: Duration = .seconds(20 * 365 * 86_400)

    /// What a start finds: the gap since the last heartbeat.
    package init(since last: Heartbeat, until now: ClockReading) {
        from = last.clocks
        to = now
        let isSameBoot = !now.boot.isEmpty && now.boot == from.boot
        if isSameBoot, now.sinceBoot >= from.sinceBoot {
            let gap = now.sinceBoot - from.sinceBoot
            length = gap
            let hasSlept = now.asleep - from.asleep > gap / 2
            switch last.state {
            case .stopped: cause = .stopped
            case .asleep: cause = .suspend
            case .running, .shutdown: cause = hasSlept ? .suspend : .crash
            }
            return
        }
        // Only the time of day spans two starts of a machine.
        let (milliseconds, overflow) = now.time.subtractingReportingOverflow(from.time)
        let gap = Duration.milliseconds(milliseconds)
        length = !overflow && gap >= .zero && gap < Self.longestBelieved ? gap : nil
        let areNamed = !now.boot.isEmpty && !from.boot.isEmpty
        // Where the kernel names no boots, its clock that has gone back tells as much.
        guard areNamed ? !isSameBoot : now.sinceBoot < from.sinceBoot else {
            cause = .unknown
            return
        }
        let isOrderly = last.state == .shutdown || last.state == .stopped
        let off = length.map { max(.zero, $0 - now.sinceBoot) }
        cause = isOrderly && (off ?? .zero) <= Self.longestReboot ? .reboot : .powerOff
    }

    /// What a keeper finds that lived through the machine's sleep.
    package init(asleep length: Duration, until now: ClockReading) {
        self.init(cause: .suspend, from: now.earlier(by: length), to: now, length: length)
    }
}
