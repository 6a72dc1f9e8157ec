import RunLoop

/// The times to poll services that don't report changes: once a minute, one poll at a time.
struct PowerPolls: Sendable, Hashable {
    private var isPolling = false
    private var last: Uptime?

    static let interval: Duration = .seconds(60)

    /// The time of the next poll; `.never` during a poll, and before the first.
    var next: Uptime { isPolling ? .never : last.map { $0 + Self.interval } ?? .never }

    /// Takes a due poll, which will begin soon.
    mutating func polled(at now: Uptime) { last = now }

    /// Begins a poll. `end` must follow if this returns `true`.
    ///
    /// - Returns: `false` during another poll.
    mutating func begin(at now: Uptime) -> Bool {
        guard !isPolling else { return false }
        isPolling = true
        last = now
        return true
    }

    mutating func end() { isPolling = false }
}
