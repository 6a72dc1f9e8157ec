/// Thins out what happens again and again: it is told the 1st, 2nd, 4th, 8th … time.
struct Repeats: Sendable, Hashable {
    private var counts: [OpenEnum<FailureCode>?: Int] = [:]

    /// A device that makes up new codes for ever must not fill the memory: those beyond count as one.
    static let mostCodes = 32

    /// Counts one more, and says how many there were if that is to be told.
    mutating func count(_ code: OpenEnum<FailureCode>) -> Int? {
        let key = counts[code] != nil || counts.count < Self.mostCodes ? code : nil
        let count = counts[key, default: 0] + 1
        counts[key] = count
        return count.nonzeroBitCount == 1 ? count : nil
    }
}
