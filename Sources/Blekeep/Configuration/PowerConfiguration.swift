/// What a person wants of power saving.
public struct PowerConfiguration: Sendable, Equatable {
    public var choice: PowerChoice
    public var rhythm: PowerIntervals
    /// Whether a sleeping machine is to be woken for ticks, every 15 minutes at most and not on a low battery.
    public var wakes: Bool

    public init(choice: PowerChoice = .auto, rhythm: PowerIntervals = PowerIntervals(), wakes: Bool = false) {
        self.choice = choice
        self.rhythm = rhythm
        self.wakes = wakes
    }
}

/// How ticks slow down, mode by mode.
public struct PowerIntervals: Sendable, Hashable {
    public enum Rule: Sendable, Hashable {
        /// Not quicker than this.
        case every(Duration)
        /// So many times the usual interval.
        case times(Int)
        /// Not at all.
        case pause
    }

    public var battery: Rule
    public var low: Rule
    public var critical: Rule

    public init(
        battery: Rule = .every(.seconds(60)), low: Rule = .every(.seconds(300)),
        critical: Rule = .every(.seconds(900))
    ) {
        self.battery = battery
        self.low = low
        self.critical = critical
    }

    /// What one device wants otherwise; the rest is as for all.
    public struct Override: Sendable, Hashable {
        public var battery: Rule?
        public var low: Rule?
        public var critical: Rule?

        public init(battery: Rule? = nil, low: Rule? = nil, critical: Rule? = nil) {
            self.battery = battery
            self.low = low
            self.critical = critical
        }
    }

    public func overridden(by own: Override?) -> PowerIntervals {
        PowerIntervals(
            battery: own?.battery ?? battery, low: own?.low ?? low, critical: own?.critical ?? critical)
    }

    /// The interval in a mode; `nil`: no ticks.
    public func interval(of base: Duration, in mode: PowerMode) -> Duration? {
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
