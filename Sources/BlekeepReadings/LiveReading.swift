/// A reading as sinks publish it, perhaps before the history stores it.
package struct LiveReading: Sendable, Hashable {
    /// The reading's sequence number in the history; `nil` until the history stores it.
    package var sequence: Int64?
    package var reading: Reading

    package init(sequence: Int64?, reading: Reading) {
        self.sequence = sequence
        self.reading = reading
    }

    package init(_ stored: StoredReading) {
        self.init(sequence: stored.sequence, reading: stored.reading)
    }
}
