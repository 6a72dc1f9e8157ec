import RunLoop

/// The times of one preparation for a sleep, for a shutdown, or for the program's end.
struct SleepTimes: Sendable, Hashable {
    /// When work that is still open expires.
    let expiry: Uptime
    /// When the machine may sleep, whatever is open.
    let release: Uptime
    /// When the machine sleeps, whatever holds it up.
    let end: Uptime

    static let untilExpiry: Duration = .seconds(2)
    static let forHandlers: Duration = .milliseconds(1500)
    static let beforeLimit: Duration = .milliseconds(500)
    /// How long a program goes on after it is asked to end, and when its work expires.
    static let grace: Duration = .seconds(2)
    static let untilTermination: Duration = .milliseconds(500)

    /// - Parameter limit: how long logind waits.
    init(_ cause: SleepCause, since: Uptime, limit: Duration) {
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
