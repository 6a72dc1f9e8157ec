/// The result of a tick's reads.
struct PollResult: Sendable, Hashable {
    /// The number of values, and whether any of them changed.
    var values = 0
    var isNew = false
    /// Whether the device sends values by itself.
    var isSubscribed = false
    var failures = 0
    /// The remedy that ended the poll early; `nil` for none.
    var ending: Remedy?
    /// The number of reads without an answer.
    var silences = 0
    /// The number of consecutive values, across connections, that don't match their format.
    var misfits = 0
    var failure: ReadingFailure?

    /// Whether there were neither values nor failures.
    var isEmpty: Bool { values + failures == 0 }

    mutating func fail(_ failure: ReadingFailure) {
        self.failure = failure
        failures += 1
    }
}
