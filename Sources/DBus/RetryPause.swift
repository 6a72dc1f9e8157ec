/// The pauses between attempts that fail: 1 s, then twice as long each time, up to 40 s.
struct RetryPause {
    private var pause: Duration = .seconds(1)

    private static let longest: Duration = .seconds(40)

    /// Returns how long to wait before the next attempt.
    mutating func next() -> Duration {
        defer { pause = min(pause * 2, Self.longest) }
        return pause
    }
}
