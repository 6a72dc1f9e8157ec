/// Counts repeated failures, so that the log reports them the 1st, 2nd, 4th, 8th … time.
struct Repeats: Sendable, Hashable {
    private var counts: [OpenEnum<FailureCode>?: Int] = [:]

    /// The number of codes to count. All others share a count, so that a device can't fill the memory with new codes.
    static let mostCodes = 32

    /// Counts a failure, and returns the count if the log should report it.
    mutating func count(_ code: OpenEnum<FailureCode>) -> Int? {
        let key = counts[code] != nil || counts.count < Self.mostCodes ? code : nil
        let count = counts[key, default: 0] + 1
        counts[key] = count
        return count.nonzeroBitCount == 1 ? count : nil
    }
}
