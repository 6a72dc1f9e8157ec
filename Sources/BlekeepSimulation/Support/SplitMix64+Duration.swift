import RunLoop

extension SplitMix64 {
    /// Returns a uniformly distributed duration in the range.
    package mutating func duration(in range: ClosedRange<Duration>) -> Duration {
        let thousandths = Int.random(in: 0...1000, using: &self)
        return range.lowerBound + (range.upperBound - range.lowerBound) * thousandths / 1000
    }
}
