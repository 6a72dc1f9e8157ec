/// What happens to a device's link between two ticks.
public enum LinkMode: String, Sendable, CaseIterable {
    /// Held or released, whichever suits the interval, the power and the free links.
    case auto
    /// Kept open: quick to read, and needed for notifications.
    case hold
    /// Closed after each poll: the peripheral can sleep, and others can reach it.
    case release
}
