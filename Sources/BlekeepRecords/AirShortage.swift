/// A shortage of air time: the turns of an adapter's devices need more time than there is.
package struct AirShortage: Sendable, Hashable {
    /// The number of devices that take turns.
    package var devices: Int
    /// The time that their turns need per interval, or per minute when the intervals differ.
    package var need: Duration
    /// The interval of all devices; `nil` when the intervals differ.
    package var interval: Duration?

    package init(devices: Int, need: Duration, interval: Duration?) {
        self.devices = devices
        self.need = need
        self.interval = interval
    }

    /// Computes the shortage of devices with these intervals; `nil` when the time is enough.
    ///
    /// - Parameters:
    ///   - turn: how long a device's turn takes.
    ///   - share: the part of the time that may be used.
    package init?(turn: Duration, intervals: [Duration], share: Double = 1) {
        let load = Self.load(turn: turn, intervals: intervals)
        // Sums of fractions are inexact.
        guard load > share + 0.000_001 else { return nil }
        let isSame = Set(intervals).count == 1
        let period = isSame ? intervals[0] : .seconds(60)
        self.init(devices: intervals.count, need: period * load, interval: isSame ? period : nil)
    }

    /// Returns the share of the time that the turns of devices with these intervals take; 1 is all of it.
    package static func load(turn: Duration, intervals: [Duration]) -> Double {
        intervals.reduce(0) { $0 + turn / max($1, .milliseconds(1)) }
    }

    /// The usual time of a device's turn, measured with bluetoothd 5.66 and 6.1 kernels.
    package static let usualTurn: Duration = .milliseconds(1200)

    package static let advice = "poll them less often, or add an adapter"

    /// Returns the shortage as a message.
    ///
    /// - Parameter adapter: the adapter's name; `nil` when the context names it.
    package func message(of adapter: String? = nil) -> String {
        let time = DurationText.text(.seconds(Int((need / .seconds(1)).rounded())))
        let need = "\(devices) devices need about \(time)\(adapter.map { " of \($0)" } ?? "")"
        return interval.map { "\(need) a round; the interval is \(DurationText.text($0))" } ?? "\(need) a minute"
    }
}
