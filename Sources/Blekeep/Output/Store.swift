/// Where readings are kept in order.
public protocol Store: AnyObject {
    /// Takes readings in this order, all or none, and gives them their sequence numbers.
    ///
    /// - Parameter durable: whether they must survive a power cut when this returns; otherwise a crash of the
    ///   program loses nothing, a power cut what was appended since the last durable append.
    func append(_ readings: [Reading], durable: Bool) throws -> [StoredReading]

    /// The same with a heartbeat in the same commit. Stores that keep none need not have this.
    func append(_ readings: [Reading], _ heartbeat: Heartbeat, durable: Bool) throws -> [StoredReading]

    /// The last heartbeat that was kept; its activities and its downtime need not be told.
    func lastHeartbeat() throws -> Heartbeat?

    /// Whether the store has work of its own to do, such as to copy from a damaged file.
    var needsUpkeep: Bool { get }

    /// Does some of that work, for a few milliseconds. Called again as long as there is any.
    func upkeep() throws
}

extension Store {
    public func append(_ readings: [Reading], _ heartbeat: Heartbeat, durable: Bool) throws -> [StoredReading] {
        try append(readings, durable: durable)
    }

    public func lastHeartbeat() throws -> Heartbeat? { nil }

    public var needsUpkeep: Bool { false }

    public func upkeep() throws {}
}

/// A place to publish readings: those that the store has taken, and while it takes none, what comes.
public protocol Sink: AnyObject {
    func publish(_ readings: [LiveReading]) throws

    /// What the reader of this sink has missed so far; `nil` when it has missed nothing.
    var missed: MissedLines? { get }
}

extension Sink {
    public var missed: MissedLines? { nil }
}

/// Lines that a sink dropped because its reader didn't read. The store has their readings.
public struct MissedLines: Sendable, Hashable {
    public var count: Int
    /// Whether the reader still doesn't read.
    public var isStalled: Bool

    public init(count: Int, isStalled: Bool) {
        self.count = count
        self.isStalled = isStalled
    }
}
