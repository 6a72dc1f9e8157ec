import BlekeepRecords
import RunLoop

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

    /// How long blekeep's adapters scanned actively; of two adapters, the sum.
    package var scanned: Duration = .zero

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
///
/// Nobody can measure it from here: a sensor doesn't say how long its connection's interval is, nor how often it advertises. So
/// the charge is a range, a factor of four either way.
package struct SensorCost: Sendable, Hashable {
    package var connectsPerDay: Double
    package var secondsPerConnect: Double
    package var secondsPerDay: Double
    /// In mAh a year.
    package var chargePerYear: ClosedRange<Double>
    /// Of a CR2032, in percent a year.
    package var coinCellPerYear: ClosedRange<Double>

    /// What a sensor's radio needs for an event, in µC at 3 V, 0 dBm and 1 Mbit/s. Two makers' chips differ by a factor of two.
    private enum Charge {
        /// Computed from the lengths of the packets; it agrees with "by a quarter" of an advertisement (ATC_MiThermometer#783).
        static let scanAnswer = 3.5
        /// An event of a connection without data: 4.5 to 10 (Espruino#2635, TI's AN092).
        static let connectionEvent = 8.0
        /// Making a connection: 20 to 60; computed.
        static let connection = 30.0
        /// A request and its reply: 4 to 8; computed.
        static let exchange = 5.0
    }

    /// BlueZ asks for 30 to 50 ms, unless main.conf says otherwise.
    private static let connectionInterval: Duration = .milliseconds(40)
    /// Most sensors advertise each one to five seconds.
    private static let advertisingInterval: Duration = .seconds(2)
    /// What finding the services of a device takes.
    private static let exchangesPerConnect = 20.0
    private static let uncertainty = 4.0

    /// What a CR2032 holds, in mAh: less in the cold, and with pulses.
    package static let coinCell = 220.0

    /// What a shorter time shows says nothing about a day.
    package static let shortest: Duration = .seconds(3600)

    /// - Parameter report: that of the time in which it was done. Sleep and gaps are part of a day, too.
    /// - Returns: `nil` when that is less than an hour.
    package init?(_ activity: DeviceActivity, in report: Report) {
        let length = report.length
        guard length >= Self.shortest else { return nil }
        let days = length / .seconds(86_400)
        let (connects, onAir) = (Double(activity.connects), activity.onAir / .seconds(1))
        connectsPerDay = connects / days
        secondsPerDay = min(86_400, onAir / days)
        secondsPerConnect = activity.connects > 0 ? onAir / connects : onAir
        // A sensor that is connected mostly doesn't advertise.
        let answered = max(0, report.scanned / Self.advertisingInterval) * (1 - min(1, activity.onAir / length))
        let exchanges = activity.connects > 0 || onAir > 0 ? Double(activity.values) : 0
        let microcoulombs =
            answered * Charge.scanAnswer + activity.onAir / Self.connectionInterval * Charge.connectionEvent
            + connects * (Charge.connection + Self.exchangesPerConnect * Charge.exchange) + exchanges * Charge.exchange
        // 3.6 C are 1 mAh. A damaged history may have any counts, also negative ones.
        let perYear = max(0, microcoulombs / 3_600_000 / days * 365)
        chargePerYear = perYear / Self.uncertainty...perYear * Self.uncertainty
        coinCellPerYear =
            chargePerYear.lowerBound / Self.coinCell * 100...chargePerYear.upperBound / Self.coinCell * 100
    }
}
