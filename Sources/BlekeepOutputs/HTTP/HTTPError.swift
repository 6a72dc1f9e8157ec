import BlekeepRecords

/// A failure to send readings to an HTTP server, and what to do about it.
struct HTTPError: DelayedRetry, Hashable, CustomStringConvertible {
    let description: String
    /// The shortest pause before the next attempt; `nil` when the server named none.
    let pause: Duration?

    init(_ description: String, pause: Duration? = nil) {
        self.description = description
        self.pause = pause
    }
}
