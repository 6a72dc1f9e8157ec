/// The pause between two attempts to write to the history or to a sink, or to reach a sink's server.
package enum OutputRetryPause {
    package static let longest: Duration = .seconds(60)
    /// How long something must work until its failures are forgotten: longer than the longest pause of another client that
    /// takes over the connection.
    package static let proof = longest * 2

    /// Returns 1, 2, 4 … 60 s.
    ///
    /// - Parameter failures: the number of consecutive failed attempts before the last one.
    package static func length(after failures: Int) -> Duration { min(longest, .seconds(1 << min(failures, 6))) }
}
