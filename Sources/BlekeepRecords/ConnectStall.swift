import RunLoop

/// The failed attempts that show that an adapter can't make new connections.
package struct ConnectStall: Sendable, Hashable {
    /// When the first of these attempts failed.
    package var since: Uptime
    package var attempts: Int
    package var devices: Int

    package init(since: Uptime, attempts: Int, devices: Int) {
        self.since = since
        self.attempts = attempts
        self.devices = devices
    }
}
