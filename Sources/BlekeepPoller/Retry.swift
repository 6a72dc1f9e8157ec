import RunLoop

/// The pause before the next attempt.
struct Retry: Sendable, Hashable {
    var backoff: Backoff
    var notBefore = Uptime.start
    /// The failure that only the user can repair; `nil` without one.
    var userActionNeeded: ReadingFailure?

    init(seed: UInt64) { backoff = Backoff(seed: seed) }

    /// Whether nothing failed since the last read.
    var isReliable: Bool { backoff.failures == 0 && userActionNeeded == nil }

    /// Waits at least for `pause`.
    mutating func wait(_ pause: Duration, at now: Uptime) { notBefore = max(notBefore, now + pause) }

    /// Shortens the pause, because a user asked for a tick.
    mutating func hurry(at now: Uptime) { notBefore = min(notBefore, now + Timing.afterLoss) }

    /// Ends the pause after the machine's sleep, unless only the user can help.
    mutating func resume() { if userActionNeeded == nil { notBefore = .start } }
}

/// The pauses after failures: three quick attempts, then from 1 s doubling to 300 s. A jitter, fixed by the seed, spreads
/// devices. Only a successful read resets the pauses.
struct Backoff: Sendable, Hashable {
    static let quickTries = 3
    private(set) var failures = 0
    private let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
    }

    /// Whether a short pause follows the next failure.
    var isQuick: Bool { failures < Self.quickTries }

    mutating func succeed() { failures = 0 }

    /// Counts a failure, and returns the pause before the next attempt.
    mutating func fail() -> Duration {
        failures += 1
        let jitter = Double(SplitMix64.number(seed: seed &+ UInt64(failures)) >> 11) / Double(1 << 53)
        guard failures > Self.quickTries else { return .milliseconds(250 + Int(250 * jitter)) }
        let ceiling = min(300, 1 << min(failures - Self.quickTries - 1, 9))
        return .milliseconds(Int(Double(ceiling) * 500 * (1 + jitter)))
    }
}
