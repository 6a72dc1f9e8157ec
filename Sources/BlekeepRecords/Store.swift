/// A store of readings in order. One call at a time uses it, on any thread.
package protocol Store: AnyObject, Sendable {
    /// Stores all of these readings, in this order, or throws.
    ///
    /// - Parameters:
    ///   - readings: the readings to store.
    ///   - durable: whether they must survive a power cut. A crash of the program loses nothing in any case.
    /// - Returns: the readings with their sequence numbers.
    func append(_ readings: [Reading], durable: Bool) throws -> [StoredReading]

    /// Stores readings and a heartbeat in the same commit. A store without heartbeats doesn't need this.
    func append(_ readings: [Reading], _ heartbeat: Heartbeat, durable: Bool) throws -> [StoredReading]

    /// Returns the last heartbeat, perhaps without its activities and its downtime.
    func lastHeartbeat() throws -> Heartbeat?

    /// Whether the store has work to do, such as to copy readings from a damaged file.
    var needsUpkeep: Bool { get }

    /// Works for a few milliseconds. Called again while `needsUpkeep` is true.
    func upkeep() throws
}

extension Store {
    package func append(_ readings: [Reading], _ heartbeat: Heartbeat, durable: Bool) throws -> [StoredReading] {
        try append(readings, durable: durable)
    }

    package func lastHeartbeat() throws -> Heartbeat? { nil }

    package var needsUpkeep: Bool { false }

    package func upkeep() throws {}
}
