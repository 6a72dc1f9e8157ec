import RunLoop

/// What speaks against the radio.
struct ConnectStall: Sendable, Hashable {
    /// When the first of the attempts failed.
    var since: Uptime
    var attempts: Int
    var devices: Int
}
