import RunLoop

/// A device's turn at an adapter, which connects one device at a time. The least turn comes first: first devices with a
/// tick, by the time of their turn, then devices with a connection only to hold, by its worth.
struct Turn: Sendable, Hashable, Comparable {
    var hasTick: Bool
    /// When the turn is due: an interval after the last turn, or two after a failure.
    var due: Uptime
    /// Whether blekeep heard or read the device recently.
    var isNear: Bool
    let worth: LinkWorth

    var id: DeviceIndex { worth.id }
    var place: Int { worth.place }
    /// The number of consecutive failures.
    var failures: Int { worth.failures }
    /// Whether a tick waits for the device, and it is reliable.
    var isDueAndReliable: Bool { hasTick && failures == 0 }

    static func < (left: Turn, right: Turn) -> Bool {
        if left.hasTick != right.hasTick { return left.hasTick }
        if !left.hasTick { return left.worth < right.worth }
        if left.due != right.due { return left.due < right.due }
        if left.failures != right.failures { return left.failures < right.failures }
        if left.isNear != right.isNear { return left.isNear }
        return left.place < right.place
    }
}
