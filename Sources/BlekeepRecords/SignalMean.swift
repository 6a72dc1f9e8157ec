import RunLoop

/// A running mean of the strength with which one receiver hears a device, so that no single packet decides anything.
package struct SignalMean: Sendable, Hashable {
    /// In dBm; `nil` before the first packet.
    package private(set) var mean: Double?
    private var heardAt: Uptime?

    /// A mean of signals from before such a pause is out of date.
    package static let silence: Duration = .seconds(60)
    /// The part of a new signal in the mean.
    private static let share = 0.3

    package init() {}

    /// - Parameter rssi: in dBm.
    package mutating func heard(_ rssi: Int, at now: Uptime) {
        let earlier = age(at: now) == nil ? nil : mean
        mean = earlier.map { $0 + Self.share * (Double(rssi) - $0) } ?? Double(rssi)
        heardAt = now
    }

    /// The time since the last packet; `nil` before the first one, and after one that is longer ago than `limit`.
    package func age(at now: Uptime, upTo limit: Duration = Self.silence) -> Duration? {
        heardAt.flatMap { now < $0 + limit ? now - $0 : nil }
    }
}
