import RunLoop

/// The failed attempts that show that an adapter can't make new connections.
struct ConnectStall: Sendable, Hashable {
    /// When the first of these attempts failed.
    var since: Uptime
    var attempts: Int
    var devices: Int
}
