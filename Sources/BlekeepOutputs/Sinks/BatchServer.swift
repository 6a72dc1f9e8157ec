import BlekeepRecords

/// A server that takes readings in batches, one batch at a time, as `BatchSink` sends them.
package protocol BatchServer: AnyObject {
    /// The unique name in `blekeep status`.
    var name: String { get }

    /// The server as messages name it.
    var place: String { get }

    /// How long new readings wait for others.
    var batchAge: Duration { get }

    /// The number of readings of the backlog to send per second.
    var backlogRate: Int { get }

    /// Called when the connection ends while no batch is in progress. A server without a lasting connection never does.
    var onEnd: ((any Error) -> Void)? { get set }

    /// Called with what this gateway has decided with others through the server.
    var onDecision: ((DeviceCommand) -> Void)? { get set }

    /// The failure of what the server is asked beside readings; `nil` after a success.
    var failure: String? { get }

    /// Calls `done` later, once, when batches may be sent: with the numbers of readings that the server had and lacks now.
    func connect(_ done: @escaping (Result<[Range<Int64>], any Error>) -> Void)

    /// Returns one reading as text.
    func line(_ reading: LiveReading) -> [UInt8]

    /// Sends lines, and calls `done` later, once, unless `close` comes before.
    ///
    /// - Parameter done: called with what became of the lines, and with the size in bytes that the server got.
    func send(
        _ lines: ArraySlice<BatchQueue.Line>,
        then done: @escaping (Result<(BatchVerdict, bytes: Int), any Error>) -> Void)

    /// Takes what the history holds now of the ledger and the heartbeat, also for later connections.
    func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?)

    /// Takes the signal strength of a device that other gateways may read, too.
    func note(_ device: DeviceID, rssi: Int)

    /// Ends what is in progress. `connect` may follow.
    func close()

    /// What the server knows this gateway by, and which server it is: the role of its sink.
    var role: String { get }

    /// Releases all, without waiting.
    ///
    /// - Parameter isHandedOver: whether another connection of the same role takes over.
    func end(isHandedOver: Bool)
}

extension BatchServer {
    package var role: String { "" }
    package var onEnd: ((any Error) -> Void)? {
        get { nil }
        set {}
    }
    package var onDecision: ((DeviceCommand) -> Void)? {
        get { nil }
        set {}
    }
    package var failure: String? { nil }
    package func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?) {}
    package func note(_ device: DeviceID, rssi: Int) {}
}

/// What became of a batch of readings.
package enum BatchVerdict: Hashable {
    /// The server has them.
    case done
    /// The server refuses this number of them, for this reason, and has the others.
    case partly(Int, String)
    /// The server has none of them, and refuses at least one, for this reason.
    case refused(String)
    /// The batch has more bytes than the server takes.
    case tooLarge
    /// The server has none of them, for a reason that may pass. All stay in the history.
    case kept(ServerError)
    /// The same, and one of the readings may be the reason, if the server fails again and again.
    case failed(ServerError)
}

/// A failure to send readings to a server, and what to do about it.
package struct ServerError: DelayedRetry, Hashable, CustomStringConvertible {
    package let description: String
    /// The shortest pause before the next attempt; `nil` when the server named none.
    package let pause: Duration?

    package init(_ description: String, pause: Duration? = nil) {
        self.description = description
        self.pause = pause
    }
}
