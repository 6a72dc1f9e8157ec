import Blekeep

/// S6 no-loss: each stored reading is published once, in order. While the store fails, readings are published without a
/// sequence number, and not again when they are stored later. A failing store that takes long for the write that mends it
/// fails until the end of that write.
struct Publications {
    private var last: Int64
    /// The readings published without a sequence number that aren't stored yet, the oldest first.
    private var shown: [Reading] = []
    /// The sequence numbers that such readings got later.
    private var known: Set<Int64> = []
    /// The readings of the last write, which may be published without a sequence number while it lasts.
    private var newest: [StoredReading] = []

    /// - Parameter last: the number of readings that were stored before.
    init(after last: Int64 = 0) { self.last = last }

    /// Takes the stored readings of a write.
    mutating func keeps(_ stored: [StoredReading]) {
        newest = []
        for reading in stored {
            guard let place = shown.firstIndex(of: reading.reading) else {
                newest.append(reading)
                continue
            }
            // The readings before it were dropped, because too many waited.
            shown.removeFirst(place + 1)
            known.insert(reading.sequence)
        }
    }

    /// - Parameters:
    ///   - isRefusing: whether the store fails.
    ///   - kept: the number of stored readings.
    /// - Returns: the violation of publishing a reading.
    mutating func publishes(_ reading: LiveReading, isRefusing: Bool, kept: Int64) -> String? {
        guard let sequence = reading.sequence else {
            if let place = newest.firstIndex(where: { $0.reading == reading.reading }) {
                known.insert(newest.remove(at: place).sequence)
            } else {
                shown.append(reading.reading)
            }
            return isRefusing ? nil : "a reading is published that the store could have taken"
        }
        while known.remove(last + 1) != nil { last += 1 }
        defer { last = sequence }
        return sequence == last + 1 && sequence <= kept ? nil : "reading \(sequence) is published after \(last)"
    }
}
