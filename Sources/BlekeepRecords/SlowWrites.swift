import RunLoop

/// The writes to the store, since the start of `poll`, for which the disk took long. Nothing else is done meanwhile.
package struct SlowWrites: Sendable, Hashable {
    package var count: Int
    package var longest: Duration
    /// The end of the last one, in milliseconds since 1970.
    package var last: Int64

    /// Shorter writes don't count.
    package static let least: Duration = .seconds(1)

    package init(count: Int, longest: Duration, last: Int64) {
        self.count = count
        self.longest = longest
        self.last = last
    }
}

/// Measures how long writes to the store take.
final class WriteTimer {
    private let clocks: (() -> ClockReading)?
    private(set) var slow: SlowWrites?
    /// Called after a slow write. `isNew`: whether the log doesn't have it yet, or had the last one an hour ago.
    var onSlow: ((_ length: Duration, _ isNew: Bool) -> Void)?

    private static let pause: Int64 = 3_600_000

    /// - Parameter clocks: reads the machine's clocks; `nil` to measure nothing.
    init(clocks: (() -> ClockReading)?) { self.clocks = clocks }

    func time<Result>(_ write: () throws -> Result) rethrows -> Result {
        let begin = clocks?()
        defer { if let begin, let end = clocks?() { took(end.awake - begin.awake, until: end.time) } }
        return try write()
    }

    private func took(_ length: Duration, until time: Int64) {
        guard length > SlowWrites.least else { return }
        let isNew = slow.map { time - $0.last >= Self.pause } ?? true
        slow = SlowWrites(
            count: (slow?.count ?? 0) + 1, longest: max(slow?.longest ?? .zero, length), last: time)
        onSlow?(length, isNew)
    }
}
