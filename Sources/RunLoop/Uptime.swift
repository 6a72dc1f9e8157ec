/// A point in time: the time since the run loop was created, with suspends.
///
/// Public, because Swift doesn't inline package declarations in other modules.
public struct Uptime: InstantProtocol, Hashable, Sendable, CustomStringConvertible {
    public var nanoseconds: Int64

    @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    @inlinable public static var start: Uptime { Uptime(nanoseconds: 0) }
    /// A time that never comes.
    @inlinable public static var never: Uptime { Uptime(nanoseconds: .max) }

    @inlinable public var sinceStart: Duration { .nanoseconds(nanoseconds) }

    @inlinable public func advanced(by duration: Duration) -> Uptime {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        return overflow ? (duration < .zero ? .start : .never) : Uptime(nanoseconds: sum)
    }

    @inlinable public func duration(to other: Uptime) -> Duration {
        .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds)
    }

    @inlinable public static func == (left: Uptime, right: Uptime) -> Bool { left.nanoseconds == right.nanoseconds }
    @inlinable public static func < (left: Uptime, right: Uptime) -> Bool { left.nanoseconds < right.nanoseconds }
    @inlinable public static func > (left: Uptime, right: Uptime) -> Bool { left.nanoseconds > right.nanoseconds }
    @inlinable public static func <= (left: Uptime, right: Uptime) -> Bool { left.nanoseconds <= right.nanoseconds }
    @inlinable public static func >= (left: Uptime, right: Uptime) -> Bool { left.nanoseconds >= right.nanoseconds }

    @inlinable public static func + (left: Uptime, right: Duration) -> Uptime { left.advanced(by: right) }

    @inlinable public static func - (left: Uptime, right: Uptime) -> Duration { right.duration(to: left) }

    public var description: String { "+\(sinceStart)" }
}

extension Duration {
    /// The duration in nanoseconds, limited to 64 bits (292 years).
    @inlinable public var wholeNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}
