import RunLoop

/// A device's turn at a radio that connects one device at a time. The least comes first: those for whose connection a
/// tick waits, by when their turn is due; then those whose connection is only to be held, by what it is worth.
struct Turn: Sendable, Hashable, Comparable {
    var hasTick: Bool
    /// When the turn is due: the device's interval after its last turn, or two if it has failed since.
    var due: Uptime
    /// Whether it was heard or read recently.
    var isNear: Bool
    let worth: LinkWorth

    var id: DeviceID { worth.id }
    /// How often in succession it has failed.
    var failures: Int { worth.failures }
    /// Whether a tick waits for it, and it can be relied on: the others give way.
    var isDueAndReliable: Bool { hasTick && failures == 0 }

    static func < (left: Turn, right: Turn) -> Bool {
        if left.hasTick != right.hasTick { return left.hasTick }
        if !left.hasTick { return left.worth < right.worth }
        if left.due != right.due { return left.due < right.due }
        if left.failures != right.failures { return left.failures < right.failures }
        if left.isNear != right.isNear { return left.isNear }
        return left.id < right.id
    }
}
