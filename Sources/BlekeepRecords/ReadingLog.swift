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

/// Which histories the numbers of a store belong to: a restored history gives numbers again that had other readings, and so
/// is another one from there on.
package protocol HistoryIdentity: AnyObject {
    /// Returns the parts, in the order of their numbers, at least one.
    func parts() throws -> [HistoryPart]

    /// Begins a new part at a number, in place of those that begin later. Doesn't wait for a disk that is at work, but
    /// throws.
    func begin(at number: Int64) throws

    /// Returns the devices that this gateway owned last in a fleet's database.
    func owned() throws -> [DeviceID]

    /// Keeps them for the next start. Doesn't wait for a disk that is at work, but throws.
    func keep(owned devices: [DeviceID]) throws
}

/// The numbers of a history from one on.
package struct HistoryPart: Sendable, Hashable {
    package var first: Int64
    /// A random UUID.
    package var id: String

    package init(first: Int64, id: String) {
        self.first = first
        self.id = id
    }
}
