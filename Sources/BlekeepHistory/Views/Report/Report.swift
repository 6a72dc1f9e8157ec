import BlekeepRecords

/// A report on a period: when blekeep ran, what it read, and the cost for batteries.
///
/// The kernel's clock measures lengths. The time of day is only a label.
package struct Report: Sendable, Hashable {
    /// A time in which the poller ran, in one mode.
    package struct Span: Sendable, Hashable {
        /// From the report's beginning.
        package var offset: Duration
        package var length: Duration
        package var mode: PowerMode
        package var supply: PowerState
        /// The charge of the machine's battery at both ends, from 0 to 100.
        package var percentages: ClosedRange<Double>?
        package var isDraining = false
    }

    /// A time in which the poller didn't run.
    package struct Gap: Sendable, Hashable {
        package var offset: Duration
        /// `nil`: no clock tells.
        package var length: Duration?
        package var cause: Downtime.Cause
        /// Milliseconds since 1970, as the clock stood before and after it.
        package var from: Int64
        package var to: Int64
    }

    /// The time of day at both ends, as the clock stood then: milliseconds since 1970, UTC.
    package var from: Int64
    package var to: Int64
    /// The oldest first; together with the gaps they fill the report's time.
    package var spans: [Span] = []
    package var gaps: [Gap] = []
    /// Whether the poller runs: readings since its last heartbeat aren't in the report yet.
    package var isRunning = false
    /// What was done for each device, in the order of names.
    package var devices: [DeviceActivity] = []

    package var air = AirUse()
    /// The number of values of this time that devices kept in their own memory.
    package var logged = 0

    package var up: Duration { spans.reduce(.zero) { $0 + $1.length } }
    package var down: Duration { gaps.reduce(.zero) { $0 + ($1.length ?? .zero) } }
    package var length: Duration { up + down }

    /// How long the poller ran in each mode.
    package func time(in mode: PowerMode) -> Duration {
        spans.reduce(.zero) { $0 + ($1.mode == mode ? $1.length : .zero) }
    }

    // MARK: The machine's battery

    /// The charge at the beginning and at the end; `nil` without a battery.
    package var battery: (from: Double, to: Double)? {
        let charged = spans.filter { $0.percentages != nil }
        guard let first = charged.first, let last = charged.last else { return nil }
        return (first.start ?? 0, last.end ?? 0)
    }

    /// The time on battery without sleep, and the percent per hour of it.
    package var drain: (length: Duration, perHour: Double)? {
        let drained = spans.filter { $0.supply == .battery && $0.percentages != nil }
        let length = drained.reduce(Duration.zero) { $0 + $1.length }
        guard length >= .seconds(60) else { return nil }
        let lost = drained.reduce(0.0) { $0 + ($1.start ?? 0) - ($1.end ?? 0) }
        return (length, lost / (length / .seconds(3600)))
    }
}

extension Report.Span {
    package var start: Double? { percentages.map { isDraining ? $0.upperBound : $0.lowerBound } }
    package var end: Double? { percentages.map { isDraining ? $0.lowerBound : $0.upperBound } }
}

/// What polling costs a sensor: how often and how long blekeep is connected to it, and an estimate of the charge that its radio
/// needs for that, and for answering blekeep's scans.
package struct SensorCost: Sendable, Hashable {
    package var connectsPerDay: Double
    package var secondsPerConnect: Double
    package var secondsPerDay: Double
    package var battery: Battery
    /// In mAh a year.
    package var chargePerYear: ClosedRange<Double>
    /// What would take less than half of it.
    package var savings: [Saving] = []

    package struct Saving: Sendable, Hashable {
        /// For example `mode: release`.
        package var setting: String
        /// In mAh a year.
        package var chargePerYear: ClosedRange<Double>
    }

    /// What a shorter time shows says nothing about a day.
    package static let shortest: Duration = .seconds(3600)
    /// A read each five minutes is enough for most values.
    private static let rare: Duration = .seconds(300)

    /// - Parameters:
    ///   - report: that of the time in which it was done. Sleep and gaps are part of a day, too.
    ///   - battery: `nil` for the usual one.
    /// - Returns: `nil` when that is less than an hour.
    package init?(_ activity: DeviceActivity, of battery: Battery? = nil, in report: Report) {
        let length = report.length
        guard length >= Self.shortest else { return nil }
        let days = length / .seconds(86_400)
        let (connects, onAir) = (Double(activity.connects), activity.onAir / .seconds(1))
        connectsPerDay = connects / days
        secondsPerDay = min(86_400, onAir / days)
        secondsPerConnect = activity.connects > 0 ? onAir / connects : onAir
        self.battery = battery ?? .usual
        var use = RadioUse(length: length)
        (use.scanned, use.onAir, use.connects) = (report.air.scanned, activity.onAir, connects)
        if activity.connects > 0 || onAir > 0 { use.exchanges = Double(activity.values) }
        chargePerYear = use.chargePerYear
        guard self.battery != .mains, activity.good > 0, onAir > 0 else { return }
        let interval = length / activity.good
        let (often, seldom) = (RadioUse.released(every: interval), RadioUse.released(every: max(interval, Self.rare)))
        savings = [("mode: release", often), ("mode: release, interval: 5m", seldom)].compactMap {
            let charge = $1.chargePerYear
            return charge.upperBound < chargePerYear.upperBound / 2 ? Saving(setting: $0, chargePerYear: charge) : nil
        }
    }
}
