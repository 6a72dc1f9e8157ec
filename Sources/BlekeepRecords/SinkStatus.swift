/// The status of a sink: a line of `blekeep status`.
package struct SinkStatus: Sendable, Hashable {
    package var name: String
    /// The number of the last reading that the sink has; `nil` for a sink that gets only new readings.
    package var position: Int64?
    /// The numbers above `position` that the sink has, too; `nil` for a sink that gets the readings in order.
    package var confirmed: [ClosedRange<Int64>]?
    /// The number of readings that wait for the sink.
    package var backlog: Int64 = 0
    /// The number of readings that were dropped, because too many waited.
    package var dropped: Int64 = 0
    /// The last failure; `nil` after a success.
    package var failure: String?
    /// The time of the next attempt, in milliseconds since 1970.
    package var nextTry: Int64?

    package init(name: String) { self.name = name }

    /// Whether nothing changed that matters to users.
    func isLike(_ other: SinkStatus) -> Bool {
        // A file knows itself what it has; what a server has is known here alone.
        let isSamePlace = confirmed == nil ? (position == nil) == (other.position == nil) : position == other.position
        return name == other.name && failure == other.failure && isSamePlace
    }
}
