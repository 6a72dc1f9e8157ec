/// The limits that a dbus-daemon sets for each connection. The defaults are those of a system bus.
///
/// Source: `session.conf` and `system.conf`, and `bus/config-parser.c` of dbus 1.14.
package struct BusLimits: Sendable, Hashable {
    /// Calls that wait for a reply (`max_replies_per_connection`).
    package var replies = 128
    /// Match rules (`max_match_rules_per_connection`).
    package var matchRules = 512
    /// Bytes that wait for a connection that doesn't read (`max_outgoing_bytes`).
    package var queuedBytes = 127 << 20

    package init() {}
}
