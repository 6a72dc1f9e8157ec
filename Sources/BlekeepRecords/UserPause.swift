import RunLoop

/// A pause of a device that a user asked for.
package enum UserPause: Sendable, Hashable {
    case untilResumed
    /// Milliseconds since 1970.
    case until(Int64)

    /// The longest pause with an end.
    package static let longest: Duration = .seconds(366 * 86_400)

    /// Returns how long it lasts from this time on: zero when it is over.
    ///
    /// - Parameter time: milliseconds since 1970.
    package func length(from time: Int64) -> PauseLength {
        switch self {
        case .untilResumed: .untilResumed
        // Neither time is negative, so that the difference can't overflow.
        case .until(let end): .time(min(Self.longest, .milliseconds(max(0, max(0, end) - max(0, time)))))
        }
    }

    /// Whether both end at about the same time. The ends of one pause differ when the time of day drifts.
    func isLike(_ other: UserPause) -> Bool {
        guard case .until(let end) = self, case .until(let otherEnd) = other else { return self == other }
        return end.subtractingReportingOverflow(otherEnd).partialValue.magnitude < 2000
    }
}

/// How long to pause a device.
package enum PauseLength: Sendable, Hashable {
    case untilResumed
    case time(Duration)

    /// The end of the pause.
    package func end(from now: Uptime) -> Uptime {
        switch self {
        case .untilResumed: .never
        case .time(let length): now + length
        }
    }
}
