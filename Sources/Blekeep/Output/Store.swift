/// Where readings are kept in order.
public protocol Store: AnyObject {
    /// Takes readings in this order, all or none, and gives them their sequence numbers.
    ///
    /// - Parameter durable: whether they must survive a power cut when this returns; otherwise a crash of the
    ///   program loses nothing, a power cut what was appended since the last durable append.
    func append(_ readings: [Reading], durable: Bool) throws -> [StoredReading]
}

/// A place to publish readings that the store has taken.
public protocol Sink: AnyObject {
    func publish(_ readings: [StoredReading]) throws
}
