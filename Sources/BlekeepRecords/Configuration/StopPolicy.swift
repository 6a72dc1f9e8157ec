/// What happens to connections when `poll` stops normally.
package enum StopPolicy: String, Sendable, CaseIterable {
    /// blekeep disconnects.
    case disconnect
    /// Connections that are held between ticks stay for the next run, until the machine restarts.
    case keep
}
