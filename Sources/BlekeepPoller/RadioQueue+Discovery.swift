import RunLoop

extension RadioQueue {
    /// The discovery of devices with an adapter.
    enum Discovery: Sendable, Hashable {
        case off
        case starting
        case on(since: Uptime, lastFind: Uptime)
        case stopping

        /// The time after the last found device in which others may follow.
        static let quiet: Duration = .milliseconds(1500)
        /// The shortest search, unless all devices are found.
        static let shortest: Duration = .milliseconds(2500)
        /// The longest search. After it, a device counts as out of range.
        static let longest = CallTiming.search

        /// Whether the search may end.
        ///
        /// - Parameter longest: the longest search for a device.
        func hasSearchedEnough(found: Bool, missing: Bool, longest: Duration, at now: Uptime) -> Bool {
            guard case .on(let since, let lastFind) = self else { return false }
            if !missing { return true }
            if now - since >= longest { return true }
            return found && now - since >= Self.shortest && now - lastFind >= Self.quiet
        }

        /// Returns the times when the search may end without an event.
        func decisions(longest: Duration) -> [Uptime] {
            guard case .on(let since, let lastFind) = self else { return [] }
            return [since + longest, since + Self.shortest, lastFind + Self.quiet]
        }
    }
}
