import RunLoop

/// How fast a gateway takes the configurations that its database gives: each one reads all files again, and logs that. A few
/// come at once, as when an operator corrects a mistake, and more come slowly. Pure.
package struct FleetPace {
    private var free = Self.burst
    private var last = Uptime.start

    private static let burst = 3
    private static let pause: Duration = .seconds(60)

    package init() {}

    /// Returns whether a configuration may be taken now. If so, that counts as one.
    package mutating func takes(at now: Uptime) -> Bool {
        while free < Self.burst, now - last >= Self.pause {
            free += 1
            last = last + Self.pause
        }
        if free == Self.burst { last = now }
        guard free > 0 else { return false }
        free -= 1
        return true
    }
}
