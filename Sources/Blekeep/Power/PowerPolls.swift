import RunLoop

/// When those that tell nothing by themselves are asked: once a minute, one poll at a time.
struct PowerPolls: Sendable, Hashable {
    private var isPolling = false
    private var last: Uptime?

    static let interval: Duration = .seconds(60)

    /// When the next poll is due; `.never` during one, and before the first.
    var next: Uptime { isPolling ? .never : last.map { $0 + Self.interval } ?? .never }

    /// The poll that is due will begin soon.
    mutating func take(at now: Uptime) { last = now }

    /// - Returns: whether a poll may begin; `end` must follow then.
    mutating func begin(at now: Uptime) -> Bool {
        guard !isPolling else { return false }
        isPolling = true
        last = now
        return true
    }

    mutating func end() { isPolling = false }
}
