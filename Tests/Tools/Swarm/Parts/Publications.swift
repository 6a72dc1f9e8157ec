import Blekeep

/// S6 no-loss: each stored reading is published once, in order. While the store fails, readings are published without a
/// sequence number, and not again when they are stored later.
struct Publications {
    private var last: Int64
    /// The readings published without a sequence number that aren't stored yet, the oldest first.
    private var shown: [Reading] = []
    /// The sequence numbers that such readings got later.
    private var known: Set<Int64> = []

    /// - Parameter last: the number of readings that were stored before.
    init(after last: Int64 = 0) { self.last = last }

    /// Takes a stored reading.
    mutating func keeps(_ reading: Reading, as sequence: Int64) {
        guard let place = shown.firstIndex(of: reading) else { return }
        // The readings before it were dropped, because too many waited.
        shown.removeFirst(place + 1)
        known.insert(sequence)
    }

    /// - Parameters:
    ///   - isRefusing: whether the store fails.
    ///   - kept: the number of stored readings.
    /// - Returns: the violation of publishing a reading.
    mutating func publishes(_ reading: LiveReading, isRefusing: Bool, kept: Int64) -> String? {
        guard let sequence = reading.sequence else {
            shown.append(reading.reading)
            return isRefusing ? nil : "a reading is published that the store could have taken"
        }
        while known.remove(last + 1) != nil { last += 1 }
        defer { last = sequence }
        return sequence == last + 1 && sequence <= kept ? nil : "reading \(sequence) is published after \(last)"
    }
}
