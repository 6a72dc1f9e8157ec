/// The stored readings by their sequence numbers, for publishers.
package protocol ReadingLog: AnyObject {
    /// Returns the readings after a number, the oldest first.
    func readings(after sequence: Int64, limit: Int) throws -> [StoredReading]

    /// Returns the number of the oldest reading and the last number that was given. In an empty log, `oldest` is the next
    /// number.
    func bounds() throws -> (oldest: Int64, newest: Int64)

    /// Whether older readings may still come, from a damaged history. They then fill gaps between the numbers.
    var isCopying: Bool { get }
}

extension ReadingLog {
    package var isCopying: Bool { false }
}
