/// How a sink is: a line of `blekeep status`.
package struct SinkStanding: Sendable, Hashable {
    package var name: String
    /// The number of the last reading that it has; `nil` for one that gets only what comes now.
    package var position: Int64?
    /// The numbers above `position` that it has, too; `nil` for a sink that gets the readings in their order alone.
    package var confirmed: [ClosedRange<Int64>]?
    /// How many readings wait for it.
    package var backlog: Int64 = 0
    /// How many readings it lost, as too many waited.
    package var dropped: Int64 = 0
    /// Why it took nothing the last time; `nil`: it did.
    package var failure: String?
    /// When it is tried again, in milliseconds since 1970.
    package var nextTry: Int64?

    package init(name: String) { self.name = name }

    /// Whether a user would say that nothing has changed.
    func isLike(_ other: SinkStanding) -> Bool {
        // A local sink knows by itself what it has; what a remote one was sent is known here alone.
        let isSamePlace = confirmed == nil ? (position == nil) == (other.position == nil) : position == other.position
        return name == other.name && failure == other.failure && isSamePlace
    }
}
