/// The consecutive failures of the store.
struct StoreHealth: Sendable, Hashable {
    private var failures = 0
    /// The number of readings that were dropped since the last commit, because too many waited.
    private(set) var lost = 0

    var isFailing: Bool { failures > 0 }

    mutating func dropped(_ readings: Int) { lost += readings }

    /// - Returns: the time until the next attempt: short at first, in case another program locks the file, then a minute.
    mutating func failed() -> Duration {
        defer { failures += 1 }
        return OutputRetryPause.length(after: failures)
    }

    /// - Returns: a line for the log, if the previous commit failed.
    mutating func succeeded() -> String? {
        defer { self = StoreHealth() }
        guard isFailing else { return nil }
        return "writing to the history again\(lost > 0 ? "; the oldest \(lost) were dropped" : "")"
    }
}
