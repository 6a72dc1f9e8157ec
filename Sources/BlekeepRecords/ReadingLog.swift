/// The stored readings by their sequence numbers, for publishers.
package protocol ReadingLog: AnyObject {
    /// Returns the readings after a number, the oldest first.
    func readings(after sequence: Int64, limit: Int) throws -> [StoredReading]

    /// Returns the number of the oldest reading and the last number that was given. In an empty log, `oldest` is the next
    /// number.
    func bounds() throws -> (oldest: Int64, newest: Int64)

    /// Returns values that devices kept in their own memory, in the order in which they arrived. Their numbers are above
    /// `StoredReading.loggedBase`.
    func logged(after number: Int64, limit: Int) throws -> [StoredReading]

    /// Returns the number of the one that arrived last; `StoredReading.loggedBase` without any.
    func lastLogged() throws -> Int64

    /// Whether older readings may still come, from a damaged history. They then fill gaps between the numbers.
    var isCopying: Bool { get }
}

extension ReadingLog {
    package func logged(after number: Int64, limit: Int) throws -> [StoredReading] { [] }
    package func lastLogged() throws -> Int64 { StoredReading.loggedBase }
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

    /// Returns the server that had the fleet's database last; `nil` before the first one.
    func server() throws -> DatabaseServer?

    /// Keeps it for the next start. Doesn't wait for a disk that is at work, but throws.
    func keep(_ server: DatabaseServer) throws
}

/// A server of PostgreSQL, as it tells itself from others.
package struct DatabaseServer: Sendable, Hashable {
    /// The same for a primary and its standbys.
    package var system: String
    /// Each promotion of a standby begins the next one.
    package var timeline: Int64

    package init(system: String, timeline: Int64) { (self.system, self.timeline) = (system, timeline) }

    /// Whether this is the old primary of the other one, which was promoted in its place.
    package func isOlder(than other: DatabaseServer) -> Bool { system == other.system && timeline < other.timeline }
}

/// The numbers of a history from one on.
package struct HistoryPart: Sendable, Hashable {
    package var first: Int64
    /// A random UUID.
    package var id: String

    package init(first: Int64, id: String) { (self.first, self.id) = (first, id) }
}
