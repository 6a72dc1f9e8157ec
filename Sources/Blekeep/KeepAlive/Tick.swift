/// One due moment of a keep-alive.
public struct Tick: Sendable {
    /// Counts from 1.
    public let number: Int
    public let reason: TickReason
    /// How the machine is fed at this moment.
    public let power: PowerState
    /// How long the work may take in all: 25 s or the interval, whichever is shorter.
    public let budget: Duration
    /// Moments that passed unused since the tick before, because work or the machine was late. They are not made up.
    public let skipped: Int

    let elapsed: @Sendable () -> Duration

    /// What is left of the budget now; zero when it is used up.
    public var remaining: Duration { max(.zero, budget - elapsed()) }
}

/// Why a tick came.
public enum TickReason: String, Sendable, Hashable {
    /// The first one, at once.
    case start
    /// The interval has passed.
    case timer
    /// Somebody asked for it.
    case request
    /// The machine has slept.
    case resume
}

/// What became of a tick's work.
public enum TickOutcome: String, Sendable, Hashable {
    /// Something is new.
    case newData
    /// All went well and nothing has changed.
    case noData
    /// Nothing was to be had.
    case failed
}

/// The longest that one tick's work may take, whatever the interval.
let longestBudget: Duration = .seconds(25)
