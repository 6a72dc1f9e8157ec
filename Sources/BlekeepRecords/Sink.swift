/// A destination of readings. `Publisher` calls it on the loop, and tries again after it fails.
///
/// Only `delivery` and `send` have no default.
package protocol Sink: AnyObject {
    /// The unique name in `blekeep status`.
    var name: String { get }

    /// Which readings the sink gets, and in which order.
    var delivery: SinkDelivery { get }

    /// Whether `blekeep status` lists it.
    var isReported: Bool { get }

    // MARK: Readings

    /// Takes readings in this order. Must not wait for a reader, a disk or a network.
    ///
    /// - Parameters:
    ///   - isLive: whether the readings are new, and not from the backlog.
    ///   - key: what `confirmed` names later, with `newestFirst`; with other deliveries, the sink has all of the readings
    ///     when this returns. `nil` for readings that need no confirmation.
    /// - Throws: any error, when the sink can't take readings now. It may have taken a part of them.
    func send(_ readings: [LiveReading], isLive: Bool, key: Int?) throws

    /// Takes a break in the order of the readings. Called only with `ordered`.
    func send(_ break: LogBreak) throws

    /// Returns the number of the last reading that the sink has. Called only with `ordered`, before the first reading and
    /// after each failure.
    ///
    /// - Parameter kept: the number in the history, which may be another one.
    func position(kept: Int64) throws -> Int64

    // MARK: The state of blekeep

    /// Takes the availability of a device, also for later connections.
    func note(_ device: DeviceID, isAvailable: Bool)

    /// Takes what the history holds now of the ledger and the heartbeat, also for later connections.
    func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?)

    /// Takes how long a part of the work for a device took.
    func note(_ time: WorkTime, of device: DeviceID)

    /// Takes the signal strength, in dBm, of a device that other gateways may read, too. Called each time when it is heard.
    func note(_ device: DeviceID, rssi: Int)

    // MARK: Servers

    /// Called with each event of a sink with `newestFirst`. Other sinks have none.
    var onEvent: ((SinkEvent) -> Void)? { get set }

    /// Begins to connect. `connected` or `lost` follows. Called only with `newestFirst`.
    func connect()

    /// Whether `connected` proves that the sink takes readings. Otherwise only `confirmed` ends its trouble.
    var isProvenByConnection: Bool { get }

    /// Sends at once what waits for more readings.
    func hurry()

    // MARK: The end

    /// Releases the sink's resources, such as a file or a connection, without waiting.
    func end()

    /// What its server knows this gateway by, and which server it is. It is known without a connection.
    var role: String { get }

    /// Ends as `end` does, because a new sink of the same name and role takes over.
    func handOver()

    // MARK: Its own failures

    /// The failure of what the sink does by itself, after it took readings; `nil` after a success.
    var failure: String? { get }

    /// The lines that the sink's reader missed; `nil` for none.
    var missed: MissedLines? { get }

    /// Whether no reader can come back. That ends `blekeep poll`.
    var isClosed: Bool { get }
}

extension Sink {
    /// Sends new readings that need no confirmation.
    package func send(_ readings: [LiveReading]) throws { try send(readings, isLive: true, key: nil) }

    package var name: String { "output" }
    package var isReported: Bool { true }
    package func send(_ break: LogBreak) throws {}
    package func position(kept: Int64) throws -> Int64 { kept }
    package func note(_ device: DeviceID, isAvailable: Bool) {}
    package func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?) {}
    package func note(_ time: WorkTime, of device: DeviceID) {}
    package func note(_ device: DeviceID, rssi: Int) {}
    package var onEvent: ((SinkEvent) -> Void)? {
        get { nil }
        set {}
    }
    package func connect() {}
    package var isProvenByConnection: Bool { true }
    package func hurry() {}
    package func end() {}
    package var role: String { "" }
    package func handOver() { end() }
    package var failure: String? { nil }
    package var missed: MissedLines? { nil }
    package var isClosed: Bool { false }
}

/// Which readings a sink gets, and in which order.
package enum SinkDelivery: Sendable, Hashable {
    /// Every reading of the history in the order of the numbers, also after an outage, as for a file. The sink's own
    /// position outranks the history's, and the sink gets the breaks between the numbers, too.
    case ordered

    /// Every reading of the history, as for a server: new readings at once, and the backlog in parallel.
    ///
    /// - Parameter rate: the number of readings of the backlog to send per second.
    case newestFirst(rate: Int)

    /// New readings, stored or not, as for a screen. The newest 10,000 wait while the sink fails.
    case liveOnly
}

/// An event of a sink with `newestFirst`.
package enum SinkEvent {
    case connected
    /// The server lacks readings with these numbers, although it confirmed them. Comes before `connected`.
    case lacks([Range<Int64>])
    /// The connection ended or failed. Unconfirmed readings may have arrived or not.
    case lost(any Error)
    /// The sink has the readings that were sent with this key. Keys come in any order.
    case confirmed(Int)
    /// The sink refuses this number of readings for good. `confirmed` follows with their key.
    case refused(Int, reason: String)
    /// A user gave a command through the sink, in words for the log.
    case command(DeviceCommand, String)
    /// What gateways have agreed on.
    case decided(DeviceCommand)
    /// blekeep doesn't carry out a command, for this reason.
    case ignored(String)
}

/// A break between two readings with numbers that aren't consecutive.
package enum LogBreak: Sendable, Hashable {
    /// The history lacks the readings with these numbers.
    case missing(ClosedRange<Int64>)
    /// An older history was restored: numbers above this one come again, for other readings.
    case restarted(after: Int64)
}

/// Lines that a sink dropped, because its reader didn't read. The store has their readings.
package struct MissedLines: Sendable, Hashable {
    package var count: Int
    /// Whether the reader still isn't reading.
    package var isStalled: Bool

    package init(count: Int, isStalled: Bool) { (self.count, self.isStalled) = (count, isStalled) }
}

/// How long a part of the work for a device took.
package enum WorkTime: Sendable, Hashable {
    /// From the time when a tick was due until its first read.
    case lateness(Duration)
    /// From the attempt to connect the device until BlueZ reported the connection.
    case connect(Duration)
}
