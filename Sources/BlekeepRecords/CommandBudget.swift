import RunLoop

/// Limits how many commands a source may give, and how many events a device may send: some at once, and then one a second.
/// Pure.
package struct CommandBudget: Sendable {
    package static let most = 20
    private static let pause: Duration = .seconds(1)
    /// When the budget is full again.
    private var full = Uptime.start

    package init() {}

    /// - Returns: whether there is room for one more.
    package mutating func take(at now: Uptime) -> Bool {
        let from = max(full, now)
        guard from - now <= Self.pause * (Self.most - 1) else { return false }
        full = from + Self.pause
        return true
    }
}
