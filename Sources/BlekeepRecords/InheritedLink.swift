import RunLoop

/// A connection that blekeep made but can't currently observe.
///
/// It dates from before an outage of bluetoothd, or from the last run. blekeep must end its own connections, and no others.
package enum InheritedLink: Sendable, Hashable {
    /// A connection that was up.
    case link
    /// An attempt that was in progress, and that BlueZ continues alone. A connection before this time is blekeep's own.
    case attempt(until: Uptime)
}
