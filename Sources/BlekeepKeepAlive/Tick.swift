/// A tick of a ``KeepAlive``: the time to do the work.
///
/// ```swift
/// KeepAlive.shared.onKeepAliveCallback = { tick in
///     print("tick \(tick.number), on \(tick.power), \(tick.remaining) left")
///     return .noData
/// }
/// ```
public struct Tick: Sendable {
    /// The number of the tick since `start`, from 1.
    public let number: Int
    /// The reason why the tick came.
    public let reason: TickReason
    /// The machine's power supply when the tick came.
    public let power: PowerState
    /// The time for the work: 25 s, or the interval if that is shorter.
    public let budget: Duration
    /// The number of ticks since the previous one that didn't come, because the work or the machine was late, or because
    /// the machine slept.
    public let skipped: Int

    let elapsed: @Sendable () -> Duration

    /// The rest of the budget; zero when it is used up.
    public var remaining: Duration { max(.zero, budget - elapsed()) }
}

/// The reason why a tick came.
public enum TickReason: String, Sendable, Hashable, CaseIterable {
    /// `start` was called. The first tick comes at once.
    case start
    /// The interval passed.
    case timer
    /// `requestTick` was called.
    case request
    /// The machine woke from sleep.
    case resume
}

/// The result of a tick's work.
public enum TickOutcome: String, Sendable, Hashable, CaseIterable {
    /// The work found new data.
    case newData = "new_data"
    /// The work succeeded without new data.
    case noData = "no_data"
    /// The work failed, or exceeded its budget.
    case failed
}

/// The longest time for a tick's work, for any interval.
package let maxBudget: Duration = .seconds(25)
