/// A destination of readings. `Publisher` calls it, and tries again after it throws.
package protocol Sink: AnyObject {
    /// The unique name in `blekeep status`.
    var name: String { get }

    /// Whether the sink gets every reading of the history in order, also after an outage. Otherwise it gets only new
    /// readings, stored or not.
    var wantsEverything: Bool { get }

    /// Whether `blekeep status` lists it.
    var isReported: Bool { get }

    /// Takes all of these readings, in this order, or throws. Must not wait for a reader, a disk or a network.
    func publish(_ readings: [LiveReading]) throws

    /// Takes a break in the order of the readings. Called only if the sink wants everything.
    func publish(_ break: LogBreak) throws

    /// Returns the number of the last reading that the sink has. Called only if the sink wants everything, and before its
    /// first reading.
    ///
    /// - Parameter kept: the number in the history, which may be older.
    func position(kept: Int64) throws -> Int64

    /// Takes what the history holds now of the ledger and the heartbeat.
    func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?)

    /// Takes how long a part of the work for a device took.
    func note(_ time: WorkTime, of device: DeviceID)

    /// The failure of what the sink does by itself, after it took readings; `nil` after a success.
    var failure: String? { get }

    /// Releases the sink's resources, such as a file.
    func end()

    /// The lines that the sink's reader missed; `nil` for none.
    var missed: MissedLines? { get }

    /// Whether no reader can come back. That ends `blekeep poll`.
    var isClosed: Bool { get }
}

extension Sink {
    package var name: String { "output" }
    package var wantsEverything: Bool { false }
    package var isReported: Bool { true }
    package func publish(_ break: LogBreak) throws {}
    package func position(kept: Int64) throws -> Int64 { kept }
    package func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?) {}
    package func note(_ time: WorkTime, of device: DeviceID) {}
    package var failure: String? { nil }
    package func end() {}
    package var missed: MissedLines? { nil }
    package var isClosed: Bool { false }
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

    package init(count: Int, isStalled: Bool) {
        self.count = count
        self.isStalled = isStalled
    }
}
