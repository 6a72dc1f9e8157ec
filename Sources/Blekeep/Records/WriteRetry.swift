/// The pauses between attempts to write to a place that takes nothing, such as the history or a sink.
enum WriteRetry {
    static let longest: Duration = .seconds(60)

    /// Returns 1, 2, 4 … 60 s.
    ///
    /// - Parameter failures: how many attempts failed before the one that fails now.
    static func pause(after failures: Int) -> Duration { min(longest, .seconds(1 << min(failures, 6))) }
}
