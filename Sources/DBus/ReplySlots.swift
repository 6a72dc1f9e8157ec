/// How close a connection is to the bus daemon's limit on calls that wait for a reply.
package enum ReplyPressure: Sendable, Hashable, Comparable {
    /// Many slots are lost. Reconnect when no call is in progress.
    case high
    /// The daemon refuses calls, or soon will. Reconnect now.
    case critical
}

/// The abandoned calls of one connection, whose replies never came.
///
/// The bus daemon keeps a slot for each of them until the called program replies or exits, and refuses every call of a
/// connection that has used all its slots (`max_replies_per_connection`: 128 on a system bus). bluetoothd never replies
/// to some calls, so only a new connection frees their slots.
struct ReplySlots {
    private var abandoned: Set<UInt32> = []

    static let high = 32
    /// With the calls in progress (`maxCallsInFlight`) still below the limit of a system bus.
    static let critical = 48

    var count: Int { abandoned.count }

    /// Records an abandoned call. Returns the pressure that this call adds to; `nil` while there is none.
    mutating func abandon(_ serial: UInt32) -> ReplyPressure? {
        abandoned.insert(serial)
        return abandoned.count >= Self.critical ? .critical : abandoned.count >= Self.high ? .high : nil
    }

    /// Records a reply that came too late, which frees the slot.
    mutating func free(_ serial: UInt32) { abandoned.remove(serial) }
}

extension BusError {
    /// Whether the bus daemon refused a call because of one of its limits.
    package var isLimitExceeded: Bool { name == Self.limitsExceeded }

    package static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
}
