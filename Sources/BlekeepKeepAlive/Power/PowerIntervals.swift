/// How ticks slow down while the machine runs on its battery: one rule for each power mode.
///
/// The modes come from UPower (its properties `OnBattery`, `WarningLevel` and `Percentage`), the active power profile,
/// and logind. On mains, the usual interval applies.
///
/// ```swift
/// let intervals = PowerIntervals(battery: .times(2), low: .every(.seconds(300)), critical: .pause)
/// KeepAlive.shared.start(interval: .seconds(30), powerIntervals: intervals)
/// ```
public struct PowerIntervals: Sendable, Hashable {
    /// What one power mode makes of the usual interval.
    public enum Rule: Sendable, Hashable {
        /// This interval, or the usual one if that is longer.
        case every(Duration)
        /// The usual interval, multiplied by this factor. A factor below 1 counts as 1.
        case times(Int)
        /// No ticks.
        case pause
    }

    /// The rule on battery.
    public var battery: Rule
    /// The rule when the battery is low, or when the user chose the power-saver profile.
    public var low: Rule
    /// The rule when the battery is almost empty.
    public var critical: Rule

    /// Creates intervals; without arguments 60 s on battery, 5 min when it is low, and 15 min when it is critical.
    public init(
        battery: Rule = .every(.seconds(60)), low: Rule = .every(.seconds(300)),
        critical: Rule = .every(.seconds(900))
    ) {
        self.battery = battery
        self.low = low
        self.critical = critical
    }

    /// The rules of a single device. Where it has none, the rule for all devices applies.
    package struct Override: Sendable, Hashable {
        package var battery: Rule?
        package var low: Rule?
        package var critical: Rule?

        package init(battery: Rule? = nil, low: Rule? = nil, critical: Rule? = nil) {
            self.battery = battery
            self.low = low
            self.critical = critical
        }
    }

    package func overridden(by own: Override?) -> PowerIntervals {
        PowerIntervals(battery: own?.battery ?? battery, low: own?.low ?? low, critical: own?.critical ?? critical)
    }

    /// Returns the interval in a mode, or `nil` when the mode has no ticks.
    package func interval(of base: Duration, in mode: PowerMode) -> Duration? {
        let rule: Rule
        switch mode {
        case .normal: return base
        case .battery: rule = battery
        case .low: rule = low
        case .critical: rule = critical
        }
        switch rule {
        case .every(let duration): return max(base, duration)
        case .times(let factor): return base * max(1, factor)
        case .pause: return nil
        }
    }
}
