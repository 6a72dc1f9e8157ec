import RunLoop

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
