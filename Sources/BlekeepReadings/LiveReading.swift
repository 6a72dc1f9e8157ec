/// A reading as sinks publish it. The history may still have to take it.
package struct LiveReading: Sendable, Hashable {
    /// The reading's place in the history; `nil` while the history can't take it.
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
