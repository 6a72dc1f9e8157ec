/// Whether the store takes readings.
struct StoreHealth: Sendable, Hashable {
    /// Failed attempts to write since the last that succeeded.
    private var failures = 0
    /// Readings that were dropped since the last commit, as too many waited.
    private(set) var lost = 0

    var isFailing: Bool { failures > 0 }

    mutating func dropped(_ readings: Int) { lost += readings }

    /// - Returns: how long to wait until the next attempt: what another program holds is free soon, what lasts is tried
    ///   once a minute.
    mutating func failed() -> Duration {
        defer { failures += 1 }
        return WriteRetry.pause(after: failures)
    }

    /// - Returns: what to log if the store has failed before.
    mutating func succeeded() -> String? {
        defer { self = StoreHealth() }
        guard isFailing else { return nil }
        return "writing to the history again\(lost > 0 ? "; the oldest \(lost) were dropped" : "")"
    }
}
