/// A reading as sinks publish it. The history may still have to take it.
public struct LiveReading: Sendable, Hashable {
    /// The reading's place in the history; `nil` while the history can't take it.
    public var sequence: Int64?
    public var reading: Reading

    public init(sequence: Int64?, reading: Reading) {
        self.sequence = sequence
        self.reading = reading
    }

    public init(_ stored: StoredReading) {
        self.init(sequence: stored.sequence, reading: stored.reading)
    }
}
