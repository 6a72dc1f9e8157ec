/// Where readings are kept in order.
package protocol Store: AnyObject {
    /// Takes readings in this order, all or none, and gives them their sequence numbers.
    ///
    /// - Parameters:
    ///   - readings: the readings to store.
    ///   - durable: whether they must survive a power cut when this returns; otherwise a crash of the program loses
    ///     nothing, a power cut what was appended since the last durable append.
    func append(_ readings: [Reading], durable: Bool) throws -> [StoredReading]

    /// The same with a heartbeat in the same commit. Stores that keep none need not have this.
    func append(_ readings: [Reading], _ heartbeat: Heartbeat, durable: Bool) throws -> [StoredReading]

    /// The last heartbeat that was kept; its activities and its downtime need not be told.
    func lastHeartbeat() throws -> Heartbeat?

    /// Whether the store has work of its own to do, such as to copy from a damaged file.
    var needsUpkeep: Bool { get }

    /// Whether readings are still copied into it from a damaged store, so that it may come to hold older ones.
    var isCopying: Bool { get }

    /// Does some of that work, for a few milliseconds. Called again as long as there is any.
    func upkeep() throws
}

extension Store {
    package func append(_ readings: [Reading], _ heartbeat: Heartbeat, durable: Bool) throws -> [StoredReading] {
        try append(readings, durable: durable)
    }

    package func lastHeartbeat() throws -> Heartbeat? { nil }

    package var needsUpkeep: Bool { false }

    package var isCopying: Bool { false }

    package func upkeep() throws {}
}
