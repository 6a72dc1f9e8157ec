/// What happens to a device's link between two ticks.
package enum LinkMode: String, Sendable, CaseIterable {
    /// Held or released, whichever suits the interval, the power and the free links.
    case auto
    /// Kept open: quick to read, and needed for notifications.
    case hold
    /// Closed after each poll: the peripheral can sleep, and others can reach it.
    case release
    /// As `release`, and nobody calls the peripheral: it is polled when it is heard and a tick is due.
    case heard
    /// There is none: the values are those that it advertises.
    case passive

    /// Whether discovery is held for such a device.
    package var listens: Bool { self == .heard || self == .passive }
}
