import RunLoop

/// The machine's three clocks at the same time, and the id of the machine's start.
///
/// Measure only with `sinceBoot`: the time of day may jump by decades.
package struct ClockReading: Sendable, Hashable {
    /// The kernel's boot id; empty when it has none.
    package var boot: String
    /// The time since the machine's start, with sleep (CLOCK_BOOTTIME).
    package var sinceBoot: Duration
    /// The time since the machine's start, without sleep (CLOCK_MONOTONIC).
    package var awake: Duration
    /// The time of day: milliseconds since 1970, UTC (CLOCK_REALTIME).
    package var time: Int64
    /// Whether the kernel considers the time of day as set; `nil` when it doesn't say.
    package var isSynchronized: Bool?

    package init(boot: String, sinceBoot: Duration, awake: Duration, time: Int64, isSynchronized: Bool? = nil) {
        self.boot = boot
        self.sinceBoot = sinceBoot
        self.awake = awake
        self.time = time
        self.isSynchronized = isSynchronized
    }

    /// Reads the machine's clocks.
    package static func now() -> ClockReading {
        ClockReading(
            boot: MachineClock.boot, sinceBoot: MachineClock.sinceBoot(), awake: MachineClock.awake(),
            time: WallClock.milliseconds(), isSynchronized: MachineClock.isSynchronized())
    }

    /// How long the machine has slept since its start.
    package var asleep: Duration { sinceBoot - awake }

    /// The time of the machine's start by this clock: milliseconds since 1970, UTC.
    package var timeOfBoot: Int64 { time &- sinceBoot.wholeMilliseconds }

    /// Whether the time of day only drifted, by at most a second, since an earlier reading after the same start.
    package func isUnmoved(since other: ClockReading) -> Bool {
        boot == other.boot && (timeOfBoot &- other.timeOfBoot).magnitude <= 1000
    }

    /// Corrects the time of day of a clock that wasn't set, by a later reading after the same start.
    package mutating func correct(by later: ClockReading) {
        guard isSynchronized == false, boot == later.boot else { return }
        time = later.timeOfBoot &+ sinceBoot.wholeMilliseconds
        isSynchronized = later.isSynchronized
    }

    /// Returns the clocks before a sleep of this length.
    package func earlier(by sleep: Duration) -> ClockReading {
        var earlier = self
        earlier.sinceBoot -= sleep
        earlier.time -= sleep.wholeNanoseconds / 1_000_000
        return earlier
    }
}
