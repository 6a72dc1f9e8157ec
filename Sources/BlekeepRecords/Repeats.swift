/// Counts a device's failures, so that the log reports the 1st, 2nd, 4th, 8th … of them, and the first of each kind.
struct Repeats: Sendable, Hashable {
    private var known: Set<OpenEnum<FailureCode>> = []
    private var count = 0

    /// The number of kinds to know, so that a device can't fill the memory with new ones.
    static let mostCodes = 32

    /// Counts a failure, and returns the number of failures if the log should report it.
    mutating func count(_ code: OpenEnum<FailureCode>) -> Int? {
        count += 1
        let isNew = known.count < Self.mostCodes && known.insert(code).inserted
        return isNew || count.nonzeroBitCount == 1 ? count : nil
    }
}
