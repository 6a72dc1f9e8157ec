/// What a device is judged to be.
enum Verdict: Sendable, Hashable {
    /// blekeep hasn't tried anything.
    case new
    /// The last tick brought values.
    case good(Success)
    /// Something failed, and is tried again soon.
    case trying(Trouble)
    /// It failed again and again.
    case lost(Trouble)
    /// Only the user can help.
    case needsUser(Trouble)

    struct Success: Sendable, Hashable {
        /// Consecutive ticks with values.
        var ticks: Int64
        /// Why something could not be read in the last one; `nil`: everything was read.
        var missing: ReadingFailure?
    }

    struct Trouble: Sendable, Hashable {
        /// Consecutive failed attempts.
        var attempts: Int64
        var phase: Attempt.Phase
        var failure: ReadingFailure
        /// `nil`: blekeep waits for the next tick.
        var remedy: Remedy?
    }

    /// What failed; `nil` while nothing does.
    var trouble: Verdict.Trouble? {
        switch self {
        case .new, .good: nil
        case .trying(let trouble), .lost(let trouble), .needsUser(let trouble): trouble
        }
    }
}
