import RunLoop

/// Stretches an interval while values don't change.
package struct AdaptiveInterval: Sendable, Hashable {
    package let bounds: ClosedRange<Duration>
    private let seed: UInt64
    /// In percent of the usual interval.
    private var stretch = 100
    private var ticks: UInt64 = 0

    package static let maxStretch = 400

    package init(bounds: ClosedRange<Duration>, seed: UInt64) {
        self.bounds = bounds
        self.seed = seed
    }

    /// New data brings the usual interval back. A tick without new data stretches it by half. Failures have their own
    /// pauses.
    package mutating func adapt(to outcome: TickOutcome) {
        ticks &+= 1
        switch outcome {
        case .newData: stretch = 100
        case .noData: stretch = min(Self.maxStretch, stretch * 3 / 2)
        case .failed: break
        }
    }

    /// Returns the current interval: within the bounds, but never shorter than `interval`. A jitter of up to 5 %, fixed
    /// by the seed, spreads devices.
    package func interval(of interval: Duration) -> Duration {
        guard stretch > 100 else { return max(interval, bounds.lowerBound) }
        let jitter = Int(SplitMix64.number(seed: seed &+ ticks) % 101) - 50
        let stretched = interval * stretch / 100 * (1000 + jitter) / 1000
        return max(interval, min(max(stretched, bounds.lowerBound), bounds.upperBound))
    }
}
