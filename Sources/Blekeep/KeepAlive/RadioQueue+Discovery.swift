import RunLoop

extension RadioQueue {
    /// A search for devices on one adapter.
    enum Discovery: Sendable, Hashable {
        case off
        case starting
        case on(since: Uptime, lastFind: Uptime)
        case stopping

        /// Devices that come to light within this time of each other are waited for together.
        static let quiet: Duration = .milliseconds(1500)
        /// It goes on for so long at least, unless everybody is found.
        static let shortest: Duration = .milliseconds(2500)
        /// A device that was not heard for so long is not there.
        static let longest = CallTiming.search

        /// Whether it has found what it is going to find for now.
        ///
        /// - Parameter longest: how long a device is waited for that does not show.
        func hasSearchedEnough(found: Bool, missing: Bool, longest: Duration, at now: Uptime) -> Bool {
            guard case .on(let since, let lastFind) = self else { return false }
            if !missing { return true }
            if now - since >= longest { return true }
            return found && now - since >= Self.shortest && now - lastFind >= Self.quiet
        }

        /// When that may change without anything happening.
        func decisions(longest: Duration) -> [Uptime] {
            guard case .on(let since, let lastFind) = self else { return [] }
            return [since + longest, since + Self.shortest, lastFind + Self.quiet]
        }
    }
}
