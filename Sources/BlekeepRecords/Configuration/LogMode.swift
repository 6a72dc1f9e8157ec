/// When to ask a device for what it keeps in its own memory. Pure; times are milliseconds since 1970.
package enum LogMode: String, Sendable, CaseIterable {
    /// Only by hand.
    case off
    /// After a gap that the device still has.
    case fill
    /// Also for the time before blekeep heard the device first.
    case all
    /// As `all`, and for each record: blekeep reads the device rarely, and its memory has the rest.
    case only

    /// How long all downloads of an hour may take.
    package static let budget: Duration = .seconds(240)

    /// Returns the holes that are worth a connection.
    ///
    /// - Parameters:
    ///   - interval: the time between ticks.
    ///   - isKnown: whether blekeep heard the device before that time.
    package func worthwhile(
        _ coverage: LogCoverage, in time: ClosedRange<Int64>, interval: Duration, isKnown: Bool
    ) -> [ClosedRange<Int64>] {
        let gap = self == .only ? 2 * coverage.every : max(2 * coverage.every, 3 * interval.wholeMilliseconds)
        guard self != .off else { return [] }
        return coverage.holes(in: time, gap: gap).filter { hole in
            self != .fill || isKnown || hole.lowerBound > time.lowerBound
        }
    }

    /// Returns devices in the order in which to ask them. Each hour, another one is the first, so that one which never answers
    /// keeps none of the others waiting for ever.
    package static func order<Device>(_ devices: [Device], at now: Int64) -> [Device] {
        guard !devices.isEmpty else { return [] }
        let turn = Int(now.quotient(roundedDownBy: 3_600_000) % Int64(devices.count))
        return Array(devices[max(0, turn)...] + devices[..<max(0, turn)])
    }
}
