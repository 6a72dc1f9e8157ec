import RunLoop

/// What the machine's three clocks say at one moment, and which start of the machine this is.
///
/// Only `sinceBoot` measures; the time of day is a label that may jump by decades.
package struct ClockReading: Sendable, Hashable {
    /// The kernel's boot id; empty where it tells none.
    package var boot: String
    /// Since the machine was started, sleep included (CLOCK_BOOTTIME).
    package var sinceBoot: Duration
    /// The same without sleep (CLOCK_MONOTONIC).
    package var awake: Duration
    /// The time of day: milliseconds since 1970, UTC (CLOCK_REALTIME).
    package var time: Int64
    /// Whether the kernel holds the time of day for right; `nil` where it does not say.
    package var isSynchronized: Bool?

    package init(boot: String, sinceBoot: Duration, awake: Duration, time: Int64, isSynchronized: Bool? = nil) {
        self.boot = boot
        self.sinceBoot = sinceBoot
        self.awake = awake
        self.time = time
        self.isSynchronized = isSynchronized
    }

    /// The machine's clocks now.
    package static func now() -> ClockReading {
        ClockReading(
            boot: MachineClock.boot, sinceBoot: MachineClock.sinceBoot(), awake: MachineClock.awake(),
            time: WallClock.milliseconds(), isSynchronized: MachineClock.isSynchronized())
    }

    /// How long the machine has slept since it was started.
    package var asleep: Duration { sinceBoot - awake }

    /// By this clock, when the machine was started: milliseconds since 1970, UTC.
    package var timeOfBoot: Int64 { time &- sinceBoot.wholeMilliseconds }

    /// Whether the time of day has only drifted, by less than a second, since an earlier reading after the same start.
    package func isUnmoved(since other: ClockReading) -> Bool {
        boot == other.boot && (timeOfBoot &- other.timeOfBoot).magnitude <= 1000
    }

    /// The same clocks so much earlier, if the machine slept all the while.
    func earlier(by sleep: Duration) -> ClockReading {
        var earlier = self
        earlier.sinceBoot -= sleep
        earlier.time -= sleep.wholeNanoseconds / 1_000_000
        return earlier
    }
}
