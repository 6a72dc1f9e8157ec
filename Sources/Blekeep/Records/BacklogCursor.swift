/// A sink's place in the history.
struct BacklogCursor: Sendable {
    /// The number of the last reading that the sink has.
    var position: Int64
    /// The last number that the history has given.
    var newest: Int64
    /// Whether the position is known, as far as the history tells.
    private(set) var isPlaced = false
    /// Whether the sink itself has confirmed it.
    private(set) var isConfirmed = false

    init(newest: Int64) {
        position = newest
        self.newest = newest
    }

    mutating func place(_ position: Int64) {
        self.position = position
        isPlaced = true
    }

    mutating func confirm(_ position: Int64) {
        self.position = position
        isConfirmed = true
    }

    mutating func doubt() { isConfirmed = false }
}
