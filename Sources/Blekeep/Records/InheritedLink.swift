import RunLoop

/// What is ours though we do not see it: made by us before we lost sight of bluetoothd, or by the keeper that ran
/// before us on this start of the machine. Only what is ours may be ended, and must be.
enum InheritedLink: Sendable, Hashable {
    /// A link that was up.
    case link
    /// A Connect that was under way: a link that comes until this moment is ours. BlueZ goes on with it alone.
    case attempt(until: Uptime)
}
