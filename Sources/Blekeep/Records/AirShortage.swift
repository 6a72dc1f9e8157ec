import RunLoop

/// More devices that take turns than their adapter has time for.
package struct AirShortage: Sendable, Hashable {
    /// How many devices take turns.
    package var devices: Int
    /// How much time their turns need in one interval, or in one minute where the intervals differ.
    package var need: Duration
    /// From tick to tick; `nil`: not the same for all.
    package var interval: Duration?

    package init(devices: Int, need: Duration, interval: Duration?) {
        self.devices = devices
        self.need = need
        self.interval = interval
    }

    /// What devices with these intervals need; `nil`: there is enough time for it.
    ///
    /// - Parameters:
    ///   - turn: how long one device's turn takes.
    ///   - share: how much of its time the adapter may be busy, so that it is enough.
    package init?(turn: Duration, intervals: [Duration], share: Double = 1) {
        let load = intervals.reduce(0) { $0 + turn / max($1, .milliseconds(1)) }
        // Sums of fractions are a little off.
        guard load > share + 0.000_001 else { return nil }
        let isSame = Set(intervals).count == 1
        let period = isSame ? intervals[0] : .seconds(60)
        self.init(devices: intervals.count, need: period * load, interval: isSame ? period : nil)
    }

    /// What a person can do.
    package static let advice = "poll them less often, or add an adapter"

    /// The shortage in words.
    ///
    /// - Parameter adapter: what the adapter is called; `nil` where that is clear.
    package func words(of adapter: String? = nil) -> String {
        let time = DurationText.text(.seconds(Int((need / .seconds(1)).rounded())))
        let need = "\(devices) devices need about \(time)\(adapter.map { " of \($0)" } ?? "")"
        return interval.map { "\(need) a round; the interval is \(DurationText.text($0))" } ?? "\(need) a minute"
    }
}
