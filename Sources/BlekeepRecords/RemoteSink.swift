/// A destination of readings that confirms them later, such as a server. `RemotePublisher` calls it on the loop.
package protocol RemoteSink: AnyObject {
    /// The unique name in `blekeep status`.
    var name: String { get }

    /// The number of readings of the backlog to send per second.
    var backlogRate: Int { get }

    /// Whether `connected` proves that the sink takes readings. Otherwise only `confirmed` ends its trouble.
    var isProvenByConnection: Bool { get }

    /// Called with each event of the sink.
    var onEvent: ((RemoteSinkEvent) -> Void)? { get set }

    /// Begins to connect. `connected` or `lost` follows.
    func connect()

    /// Sends readings in this order. `confirmed` follows with the key. Called only while the sink is connected.
    ///
    /// - Parameters:
    ///   - isLive: whether the readings are new, and not from the backlog.
    ///   - key: `nil` for readings that need no confirmation, because the history can't store them.
    func send(_ readings: [LiveReading], isLive: Bool, key: Int?)

    /// Takes the availability of a device, also for later connections.
    func note(_ device: DeviceID, isAvailable: Bool)

    /// Takes what the history holds now of the ledger and the heartbeat, also for later connections.
    func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?)

    /// Sends at once what waits for more readings.
    func hurry()

    /// Disconnects without waiting.
    func end()

    /// Disconnects without waiting, because a new sink of the same name connects now.
    func handOver()
}

extension RemoteSink {
    package var isProvenByConnection: Bool { true }

    package func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?) {}
    package func hurry() {}
    package func handOver() { end() }
}

/// An event of a remote sink.
package enum RemoteSinkEvent {
    case connected
    /// The connection ended or failed. Unconfirmed readings may have arrived or not.
    case lost(any Error)
    /// The sink has the readings that were sent with this key.
    case confirmed(Int)
    /// The sink refuses this number of readings for good. `confirmed` follows with their key.
    case refused(Int, reason: String)
    /// Somebody at the sink gave a command, in words for the log.
    case command(KeeperCommand, String)
    /// blekeep doesn't carry out a command, for this reason.
    case ignored(String)
}
