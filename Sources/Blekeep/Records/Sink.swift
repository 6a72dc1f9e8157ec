/// A place to publish readings. `Publisher` feeds it, and tries again what it throws.
package protocol Sink: AnyObject {
    /// What `status` calls it; no two sinks have the same.
    var name: String { get }

    /// Whether it gets every reading of the history in order, those included that it couldn't take when they came.
    /// Otherwise it gets what comes now, and what the history can't take at present.
    var wantsEverything: Bool { get }

    /// Takes readings in this order, all or none. Never waits for a reader, a disk that hangs or a network.
    func publish(_ readings: [LiveReading]) throws

    /// Takes a break in the order of the readings; only where it wants everything.
    func publish(_ break: LogBreak) throws

    /// Returns the number of the last reading that the sink has; only where it wants everything, and asked before its
    /// first reading.
    ///
    /// - Parameter kept: the number that the history holds for this sink; it may be somewhat older.
    func position(kept: Int64) throws -> Int64

    /// Nothing more comes: lets go of what others may use then, such as a file.
    func end()

    /// What the reader of this sink has missed so far; `nil` when it has missed nothing.
    var missed: MissedLines? { get }

    /// Whether nobody will ever read again what this sink publishes; that ends `blekeep poll`.
    var isClosed: Bool { get }
}

extension Sink {
    package var name: String { "output" }
    package var wantsEverything: Bool { false }
    package func publish(_ break: LogBreak) throws {}
    package func position(kept: Int64) throws -> Int64 { kept }
    package func end() {}
    package var missed: MissedLines? { nil }
    package var isClosed: Bool { false }
}

/// What comes between two readings of the log that don't follow each other.
package enum LogBreak: Sendable, Hashable {
    /// The history doesn't hold the readings with these numbers any more, or never got them.
    case missing(ClosedRange<Int64>)
    /// The sink has readings that the history doesn't know, such as that of a backup; numbers above this one come again.
    case restarted(after: Int64)
}

/// Lines that a sink dropped because its reader didn't read. The store has their readings.
package struct MissedLines: Sendable, Hashable {
    package var count: Int
    /// Whether the reader still doesn't read.
    package var isStalled: Bool

    package init(count: Int, isStalled: Bool) {
        self.count = count
        self.isStalled = isStalled
    }
}
