/// A moment: the time since the run loop was made, suspends included. The only moment that deciders know.
package struct Uptime: InstantProtocol, Hashable, Sendable, CustomStringConvertible {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package static let start = Uptime(nanoseconds: 0)
    /// Later than every moment that comes.
    package static let never = Uptime(nanoseconds: .max)

    package var sinceStart: Duration { .nanoseconds(nanoseconds) }

    package func advanced(by duration: Duration) -> Uptime {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        return overflow ? (duration < .zero ? .start : .never) : Uptime(nanoseconds: sum)
    }

    package func duration(to other: Uptime) -> Duration {
        .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds)
    }

    package static func < (left: Uptime, right: Uptime) -> Bool { left.nanoseconds < right.nanoseconds }

    package static func + (left: Uptime, right: Duration) -> Uptime { left.advanced(by: right) }

    package static func - (left: Uptime, right: Uptime) -> Duration { right.duration(to: left) }

    package var description: String { "+\(sinceStart)" }
}

extension Duration {
    /// The duration in nanoseconds, held within what 64 bits can say (292 years).
    package var wholeNanoseconds: Int64 {
        Int64(clamping: attoseconds / 1_000_000_000)
    }
}
