import RunLoop

/// How long to wait after failures: three quick tries, then 1 s doubling to 300 s, with a jitter that spreads
/// devices but is the same for the same seed. Only a good read resets it.
struct Backoff: Sendable, Hashable {
    static let quickTries = 3
    private(set) var failures = 0
    private let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
    }

    /// Whether the next failure is still one of the quick ones.
    var isQuick: Bool { failures < Self.quickTries }

    mutating func succeed() { failures = 0 }

    /// Counts a failure and says how long to wait before the next try.
    mutating func fail() -> Duration {
        failures += 1
        let jitter = Double(SplitMix64.number(seed: seed &+ UInt64(failures)) >> 11) / Double(1 << 53)
        guard failures > Self.quickTries else { return .milliseconds(250 + Int(250 * jitter)) }
        let ceiling = min(300, 1 << min(failures - Self.quickTries - 1, 9))
        return .milliseconds(Int(Double(ceiling) * 500 * (1 + jitter)))
    }
}
