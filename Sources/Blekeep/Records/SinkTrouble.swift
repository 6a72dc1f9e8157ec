import RunLoop

/// The consecutive failures of a sink, and the time of the next attempt.
struct SinkTrouble: Sendable {
    private var failures = 0
    /// The last failure.
    private(set) var error: (any Error)?
    /// The last failure as text.
    private(set) var text: String?
    /// The time of the next attempt, after a pause that grows to a minute.
    private(set) var nextTry = Uptime.start

    var isThere: Bool { text != nil }

    /// Takes a failure.
    ///
    /// - Returns: whether it differs from the last one.
    mutating func take(_ error: any Error, at now: Uptime) -> Bool {
        let new = "\(error)"
        let isNew = text != new
        (text, self.error) = (new, error)
        nextTry = now + max(OutputRetryPause.length(after: failures), (error as? any DelayedRetry)?.pause ?? .zero)
        failures += 1
        return isNew
    }
}

/// A failure whose server may name the time of the next attempt.
package protocol DelayedRetry: Error {
    /// The shortest pause before the next attempt; `nil` when the server named none.
    var pause: Duration? { get }
}
