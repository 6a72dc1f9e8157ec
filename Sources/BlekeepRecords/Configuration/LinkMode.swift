/// What happens to a device's connection between two ticks.
package enum LinkMode: String, Sendable, CaseIterable {
    /// Held or released, depending on the interval, the power mode and free slots.
    case auto
    /// Held open, for quick reads and for notifications.
    case hold
    /// Closed after each poll, so that the device can sleep and other programs can connect it.
    case release
    /// Closed after each poll. A due tick waits until blekeep hears the device.
    case heard
    /// Never connected. The device advertises its values.
    case passive

    /// Whether the device needs discovery all the time.
    package var listens: Bool { self == .heard || self == .passive }
}
