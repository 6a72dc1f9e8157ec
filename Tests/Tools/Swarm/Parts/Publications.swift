import Blekeep

/// S6 no-loss: what is kept is published, once and in order. What the store could not take is shown without a sequence
/// number, and not again once it is kept.
struct Publications {
    private var last: Int64 = 0
    /// What was shown without a sequence number and isn't kept yet, the oldest first.
    private var shown: [Reading] = []
    /// The sequence numbers that such readings got.
    private var known: Set<Int64> = []

    /// A reading is kept under a sequence number.
    mutating func keeps(_ reading: Reading, as sequence: Int64) {
        guard let place = shown.firstIndex(of: reading) else { return }
        // The readings before it were dropped, as too many waited.
        shown.removeFirst(place + 1)
        known.insert(sequence)
    }

    /// - Parameters:
    ///   - isRefusing: whether the store takes nothing.
    ///   - kept: how many readings are kept.
    /// - Returns: what is wrong with publishing a reading.
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
