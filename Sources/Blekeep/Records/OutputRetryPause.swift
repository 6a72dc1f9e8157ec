/// The pauses between attempts to write to a failing store or sink.
enum WriteRetry {
    static let longest: Duration = .seconds(60)

    /// Returns 1, 2, 4 … 60 s.
    ///
    /// - Parameter failures: the number of failed attempts before the current one.
    static func pause(after failures: Int) -> Duration { min(longest, .seconds(1 << min(failures, 6))) }
}
