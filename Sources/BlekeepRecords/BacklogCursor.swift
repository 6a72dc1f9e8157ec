/// A sink's position in the history.
struct BacklogCursor: Sendable {
    /// The number of the last reading that the sink has.
    var position: Int64
    /// The last number that the history gave.
    var newest: Int64
    /// Whether the history knows the position.
    private(set) var isLocated = false
    /// Whether the sink itself confirmed the position.
    private(set) var isConfirmed = false

    init(newest: Int64) {
        position = newest
        self.newest = newest
    }

    mutating func locate(_ position: Int64) {
        self.position = position
        isLocated = true
    }

    mutating func confirm(_ position: Int64) {
        self.position = position
        isConfirmed = true
    }

    mutating func doubt() { isConfirmed = false }
}
