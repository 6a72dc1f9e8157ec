import RunLoop

/// Consecutive failures of a sink: the last one, and when the sink is tried again.
struct SinkTrouble: Sendable {
    private var failures = 0
    /// Why the sink failed the last time.
    private(set) var error: (any Error)?
    /// The same in words.
    private(set) var text: String?
    /// When the sink is tried again, after a pause that grows to a minute.
    private(set) var nextTry = Uptime.start

    var isThere: Bool { text != nil }

    /// The sink failed.
    ///
    /// - Returns: whether the last failure was another one, or none.
    mutating func take(_ error: any Error, at now: Uptime) -> Bool {
        let words = "\(error)"
        let isNew = text != words
        (text, self.error) = (words, error)
        nextTry = now + WriteRetry.pause(after: failures)
        failures += 1
        return isNew
    }
}
