/// The condition of a device, from its recent attempts.
enum DeviceCondition: Sendable, Hashable {
    /// blekeep hasn't tried anything.
    case new
    /// The last tick brought values.
    case good(Success)
    /// An attempt failed, and the next one comes soon.
    case trying(Trouble)
    /// Attempts failed repeatedly.
    case lost(Trouble)
    /// Only the user can help.
    case needsUser(Trouble)

    struct Success: Sendable, Hashable {
        /// Consecutive ticks with values.
        var ticks: Int64
        /// The failure of another value in the last tick; `nil` when everything was read.
        var missing: ReadingFailure?
    }

    struct Trouble: Sendable, Hashable {
        /// Consecutive failed attempts.
        var attempts: Int64
        var phase: Attempt.Phase
        var failure: ReadingFailure
        /// `nil` when blekeep waits for the next tick.
        var remedy: Remedy?
    }

    /// The failure; `nil` in the conditions without one.
    var trouble: DeviceCondition.Trouble? {
        switch self {
        case .new, .good: nil
        case .trying(let trouble), .lost(let trouble), .needsUser(let trouble): trouble
        }
    }
}
