/// The pauses between failing attempts: 1 s, 2 s, 4 s … 40 s.
struct RetryPause {
    private var pause: Duration = .seconds(1)

    private static let longest: Duration = .seconds(40)

    /// Returns the pause before the next attempt.
    mutating func next() -> Duration {
        defer { pause = min(pause * 2, Self.longest) }
        return pause
    }
}
