/// The numbers of durations up to each bound, as Prometheus counts them.
struct Histogram: Sendable, Hashable {
    /// The bounds in seconds, in ascending order.
    let bounds: [Double]
    /// The number of durations in each bucket, and above the last bound.
    private var counts: [Int]
    private(set) var sum = 0.0

    init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    mutating func observe(_ duration: Duration) {
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        counts[bounds.firstIndex { seconds <= $0 } ?? bounds.count] += 1
        sum += seconds
    }

    var count: Int { counts.reduce(0, +) }

    /// The number of durations up to each bound.
    var cumulative: [Int] {
        var sum = 0
        return counts.dropLast().map {
            sum += $0
            return sum
        }
    }
}
