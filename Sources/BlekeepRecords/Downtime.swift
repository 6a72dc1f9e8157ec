/// A gap without readings, and its cause.
package struct Downtime: Sendable, Hashable {
    package enum Cause: String, Sendable, Hashable, CaseIterable {
        /// The user stopped `poll`, and the machine ran on.
        case stopped
        /// `poll` ended unexpectedly, and the machine ran on.
        case crash
        /// The machine slept.
        case suspend
        /// The machine restarted normally, within five minutes.
        case reboot
        /// The machine lost power, or was off for longer.
        case powerOff = "power_off"
        case unknown
    }

    package var cause: Cause
    /// The last heartbeat. The gap begins up to some minutes later.
    package var from: ClockReading
    package var to: ClockReading
    /// The length of the gap; `nil` when no clock shows it.
    package var length: Duration?
    private var state: Heartbeat.State

    package init(
        cause: Cause, from: ClockReading, to: ClockReading, length: Duration?, after state: Heartbeat.State = .running
    ) {
        self.cause = cause
        self.from = from
        self.to = to
        self.length = length
        self.state = state
    }

    /// Whether only a clock that isn't set tells the length.
    var isMeasuredByUnsetClock: Bool { length != nil && from.boot != to.boot && to.isSynchronized == false }

    static let maxReboot: Duration = .seconds(300)
    /// A larger difference means that the time of day was wrong, before or after.
    static let maxBelieved: Duration = .seconds(20 * 365 * 86_400)

    /// Finds the gap since the last heartbeat, at the start of `poll`.
    package init(since last: Heartbeat, until now: ClockReading) {
        from = last.clocks
        to = now
        state = last.state
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
        // Only the time of day goes on across a restart of the machine.
        let (milliseconds, overflow) = now.time.subtractingReportingOverflow(from.time)
        let gap = Duration.milliseconds(milliseconds)
        length = !overflow && gap >= .zero && gap < Self.maxBelieved ? gap : nil
        let areNamed = !now.boot.isEmpty && !from.boot.isEmpty
        // Without boot ids, a clock that went back shows a restart.
        guard areNamed ? !isSameBoot : now.sinceBoot < from.sinceBoot else {
            cause = .unknown
            return
        }
        let isOrderly = last.state == .shutdown || last.state == .stopped
        let off = length.map { max(.zero, $0 - now.sinceBoot) }
        cause = isOrderly && (off ?? .zero) <= Self.maxReboot ? .reboot : .powerOff
    }

    /// Corrects the times of a clock that wasn't set. Across a restart of the machine, they tell the length and the cause.
    package mutating func correct(by clocks: ClockReading) {
        let before = to
        to.correct(by: clocks)
        guard from.boot != to.boot else { return from.correct(by: clocks) }
        if to != before { self = Downtime(since: Heartbeat(clocks: from, state: state), until: to) }
    }

    /// Creates the gap of a sleep during which `poll` kept running.
    package init(asleep length: Duration, until now: ClockReading) {
        self.init(cause: .suspend, from: now.earlier(by: length), to: now, length: length)
    }
}
