/// How blekeep saves power.
package struct PowerConfiguration: Sendable, Equatable {
    package var choice: PowerChoice
    package var intervals: PowerIntervals
    /// Whether to wake a sleeping machine for ticks: every 15 minutes at most, and never on a low battery.
    package var wakes: Bool

    package init(choice: PowerChoice = .auto, intervals: PowerIntervals = PowerIntervals(), wakes: Bool = false) {
        self.choice = choice
        self.intervals = intervals
        self.wakes = wakes
    }
}
