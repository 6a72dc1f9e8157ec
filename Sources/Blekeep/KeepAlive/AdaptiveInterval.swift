import RunLoop

/// Reads a device less often for as long as nothing changes, where the configuration wants that.
struct AdaptiveInterval: Sendable, Hashable {
    private let bounds: ClosedRange<Duration>
    private let seed: UInt64
    /// In hundredths: 100 is the usual interval.
    private var stretch = 100
    private var ticks: UInt64 = 0

    static let most = 400

    init(bounds: ClosedRange<Duration>, seed: UInt64) {
        self.bounds = bounds
        self.seed = seed
    }

    /// Something new brings the usual interval back; nothing new stretches it by half. Failures have their own
    /// pauses and change nothing here.
    mutating func take(_ outcome: TickOutcome) {
        ticks &+= 1
        switch outcome {
        case .newData: stretch = 100
        case .noData: stretch = min(Self.most, stretch * 3 / 2)
        case .failed: break
        }
    }

    /// The interval now: within the bounds, but never quicker than the power mode's, and up to a twentieth off it, so
    /// that devices spread. The same seed spreads in the same way.
    func interval(of interval: Duration) -> Duration {
        guard stretch > 100 else { return max(interval, bounds.lowerBound) }
        let jitter = Int(SplitMix64.number(seed: seed &+ ticks) % 101) - 50
        let stretched = interval * stretch / 100 * (1000 + jitter) / 1000
        return max(interval, min(max(stretched, bounds.lowerBound), bounds.upperBound))
    }
}
