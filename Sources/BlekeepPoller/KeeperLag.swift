/// How far the poller is behind its own plan: zero while it makes progress.
package struct KeeperLag: Sendable, Hashable {
    /// Since the time of the step that it planned, such as a due tick.
    package var loop: Duration
    /// Since the time of the commit that it planned. A commit that fails was attempted.
    package var store: Duration

    package init(loop: Duration, store: Duration) {
        self.loop = loop
        self.store = store
    }
}
