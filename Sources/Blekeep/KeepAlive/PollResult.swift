/// How a tick's reads went.
struct PollResult: Sendable, Hashable {
    /// Values that came, and whether one of them was new.
    var values = 0
    var isNew = false
    /// Whether the device sends values by itself.
    var isSubscribed = false
    var failures = 0
    /// What ended the poll before its time, if something did.
    var ending: Remedy?
    /// Reads that were not answered.
    var silences = 0
    /// Values in a row, over all links, that do not fit what is known of their characteristics.
    var misfits = 0
    var failure: ReadingFailure?

    /// Whether nothing was read, and nothing failed.
    var isEmpty: Bool { values + failures == 0 }

    mutating func fail(_ failure: ReadingFailure) {
        self.failure = failure
        failures += 1
    }
}
