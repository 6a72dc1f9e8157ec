import Blekeep
import RunLoop

/// How a time went: when the keeper ran and when not, what it read, and what that cost.
///
/// Time is measured by the kernel's clock; the time of day only labels it.
public struct Report: Sendable, Hashable {
    /// A time in which the keeper ran, in one mode.
    public struct Span: Sendable, Hashable {
        /// From the report's beginning.
        public var offset: Duration
        public var length: Duration
        public var mode: PowerMode
        public var supply: PowerState
        /// What the machine's battery held at both ends, from 0 to 100.
        public var percentages: ClosedRange<Double>?
        public var isDraining = false
    }

    /// A time in which it did not.
    public struct Gap: Sendable, Hashable {
        public var offset: Duration
        /// `nil`: no clock tells.
        public var length: Duration?
        public var cause: Downtime.Cause
        /// Milliseconds since 1970, as the clock stood before and after it.
        public var from: Int64
        public var to: Int64
    }

    /// The time of day at both ends, as the clock stood then: milliseconds since 1970, UTC.
    public var from: Int64
    public var to: Int64
    /// The oldest first; together with the gaps they fill the report's time.
    public var spans: [Span] = []
    public var gaps: [Gap] = []
    /// What was done for each device, in the order of names.
    public var devices: [DeviceActivity] = []

    public var up: Duration { spans.reduce(.zero) { $0 + $1.length } }
    public var down: Duration { gaps.reduce(.zero) { $0 + ($1.length ?? .zero) } }
    public var length: Duration { up + down }

    /// How long the keeper ran in each mode.
    public func time(in mode: PowerMode) -> Duration {
        spans.reduce(.zero) { $0 + ($1.mode == mode ? $1.length : .zero) }
    }

    // MARK: The machine's battery

    /// What it held at the beginning and at the end; `nil` without one.
    public var battery: (from: Double, to: Double)? {
        let told = spans.filter { $0.percentages != nil }
        guard let first = told.first, let last = told.last else { return nil }
        return (first.start ?? 0, last.end ?? 0)
    }

    /// How long the machine ran on it, and how much an hour of that took; sleep does not count.
    public var drain: (length: Duration, perHour: Double)? {
        let drained = spans.filter { $0.supply == .battery && $0.percentages != nil }
        let length = drained.reduce(Duration.zero) { $0 + $1.length }
        guard length >= .seconds(60) else { return nil }
        let lost = drained.reduce(0.0) { $0 + ($1.start ?? 0) - ($1.end ?? 0) }
        return (length, lost / (length / .seconds(3600)))
    }
}

extension Report.Span {
    public var start: Double? { percentages.map { isDraining ? $0.upperBound : $0.lowerBound } }
    public var end: Double? { percentages.map { isDraining ? $0.lowerBound : $0.upperBound } }
}

/// What polling costs a sensor: an estimate from how often and how long a link to it is up.
public struct SensorCost: Sendable, Hashable {
    public var connectsPerDay: Double
    public var secondsPerConnect: Double
    public var secondsPerDay: Double
    /// In mAh a year.
    public var chargePerYear: Double
    /// Of a CR2032, in percent a year.
    public var coinCellPerYear: Double

    /// What a sensor takes on average while a link is up, in mA: a usual radio at 50 ms from event to event.
    public static let current = 0.15
    /// What a CR2032 holds, in mAh.
    public static let coinCell = 220.0

    /// - Parameter length: the time in which that was done, sleep and gaps included: they are part of a day, too.
    public init?(_ activity: DeviceActivity, in length: Duration) {
        let days = length / .seconds(86_400)
        guard days > 0 else { return nil }
        let onAir = activity.onAir / .seconds(1)
        connectsPerDay = Double(activity.connects) / days
        secondsPerDay = min(86_400, onAir / days)
        secondsPerConnect = activity.connects > 0 ? onAir / Double(activity.connects) : onAir
        chargePerYear = secondsPerDay * 365 / 3600 * Self.current
        coinCellPerYear = chargePerYear / Self.coinCell * 100
    }
}
