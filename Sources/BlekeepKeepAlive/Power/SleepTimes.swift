import RunLoop

/// The deadlines before a sleep, a shutdown, or the end of the program.
package struct SleepTimes: Sendable, Hashable {
    /// When open work expires.
    let expiry: Uptime
    /// When blekeep releases the lock, even with open work.
    package let release: Uptime
    /// When the machine sleeps, even with a lock.
    package let end: Uptime

    static let untilExpiry: Duration = .seconds(2)
    static let forHandlers: Duration = .milliseconds(1500)
    static let beforeLimit: Duration = .milliseconds(500)
    /// How long the program runs on after SIGTERM.
    package static let grace: Duration = .seconds(2)
    static let untilTermination: Duration = .milliseconds(500)

    /// - Parameter limit: how long logind waits for locks.
    package init(_ cause: SleepCause, since: Uptime, limit: Duration) {
        guard cause != .termination else {
            expiry = since + Self.untilTermination
            release = since + Self.grace
            end = since + Self.grace
            return
        }
        expiry = since + max(.zero, min(Self.untilExpiry, limit - Self.beforeLimit - Self.forHandlers))
        release = min(expiry + Self.forHandlers, since + max(.zero, limit - Self.beforeLimit))
        end = since + limit
    }
}
