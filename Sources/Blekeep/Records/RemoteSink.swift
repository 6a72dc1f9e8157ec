/// A place to publish readings that takes time to confirm them, such as a server. `RemotePublisher` feeds it.
///
/// It has a connection or none. Everything happens on the loop.
package protocol RemoteSink: AnyObject {
    /// What `status` calls it; no two sinks have the same.
    var name: String { get }

    /// The most readings of the backlog that are sent in a second.
    var backlogRate: Int { get }

    /// Called with all that happens to the sink.
    var onEvent: ((RemoteSinkEvent) -> Void)? { get set }

    /// Begins to connect; `connected` or `lost` follows.
    func connect()

    /// Sends readings, in this order; `confirmed` follows with the key. Only while there is a connection.
    ///
    /// - Parameters:
    ///   - isLive: whether they came just now; otherwise they are of the backlog.
    ///   - key: `nil` for readings that the history can't take: nobody waits for their confirmation.
    func send(_ readings: [LiveReading], isLive: Bool, key: Int?)

    /// Says whether a device can be read; kept for a later connection, too.
    ///
    /// - Parameter device: its place in the configuration.
    func note(_ device: Int, isAvailable: Bool)

    /// Says goodbye, and lets go of the connection without waiting.
    func end()
}

/// What happens to a remote sink.
package enum RemoteSinkEvent {
    case connected
    /// There is no connection any more, or none could be made. What was sent and isn't confirmed may have arrived or not.
    case lost(any Error)
    /// The sink has what was sent with this key.
    case confirmed(Int)
}
