import BlekeepRecords

/// A series' values in some minutes.
package struct Summary: Sendable, Hashable {
    package enum Period: Int64, Sendable, CaseIterable {
        case fiveMinutes = 5
        case hour = 60

        package var milliseconds: Int64 { rawValue * 60_000 }

        /// Which period a time is in, counted from 1970.
        func start(of time: Int64) -> Int64 { time.quotient(roundedDownBy: milliseconds) }

        /// When a period begins; the earliest or latest time for one that a damaged row names.
        func time(of start: Int64) -> Int64 {
            let (time, isTooLarge) = start.multipliedReportingOverflow(by: milliseconds)
            return isTooLarge ? (start < 0 ? .min : .max) : time
        }

        /// When a group of periods begins.
        func time(ofGroup group: Int64) -> Int64 {
            let (start, isTooLarge) = group.multipliedReportingOverflow(by: rowsTogether)
            return time(of: isTooLarge ? (group < 0 ? .min : .max) : start)
        }

        /// Returns the middle of the period that begins at a time.
        func middle(from time: Int64) -> Int64 { min(time, .max - milliseconds) + milliseconds / 2 }

        /// How many rows of a series lie side by side. Twelve times five minutes are an hour.
        var rowsTogether: Int64 { self == .hour ? 168 : 12 }

        /// Returns the group of periods that contains this one.
        func group(of start: Int64) -> Int64 { start.quotient(roundedDownBy: rowsTogether) }
    }

    /// When it begins: milliseconds since 1970, UTC; whole periods since then.
    package var start: Int64
    package var period: Period
    /// How many successive periods it is of.
    package var periods: Int64 = 1
    /// As in `Reading`; alias and name as they were last.
    package var id: DeviceID
    package var device: String
    package var address: BluetoothAddress
    package var key: SeriesKey
    package var name: String
    /// The number of values or failed reads, without special values.
    package var count: Int64
    /// `nil` for values that aren't numbers.
    package var minimum: Double?
    package var mean: Double?
    package var maximum: Double?
    /// The newest value, a long text cut; of failed reads the last one's code.
    package var last: MeasuredValue?

    /// How long it is, but for windows in which the local clock is changed.
    package var milliseconds: Int64 { period.milliseconds * periods }

    /// The middle of its time, by which a window takes it: an hour's summary belongs where most of the hour does.
    fileprivate var middle: Int64 { period.middle(from: start) }

    fileprivate var series: StoredSeriesKey { StoredSeriesKey(device: id, address: address, series: key) }

    /// Adds the later values of the same series.
    fileprivate mutating func append(_ later: Summary) {
        let sums = [self, later].map { summary in summary.mean.map { (sum: $0 * Double(summary.count), summary.count) }
        }
        let numbers = sums.compactMap(\.self)
        minimum = [minimum, later.minimum].compactMap(\.self).min()
        maximum = [maximum, later.maximum].compactMap(\.self).max()
        mean = numbers.isEmpty ? nil : numbers.map(\.sum).reduce(0, +) / Double(numbers.map(\.1).reduce(0, +))
        count += later.count
        (device, name, last) = (later.device, later.name, later.last)
    }
}

/// Windows of local time, such as 10 minutes or a day. They begin at local midnight, if a day is a multiple of them.
///
/// A window in which the local clock is changed is longer or shorter. One that would be twice as long ends after its length,
/// and another begins, so that an hour that the clock shows twice has two windows of an hour.
package struct SummaryWindows: Sendable {
    package let period: Summary.Period
    package let periods: Int64
    private let offset: @Sendable (Int64) -> Int

    private static let longest: Int64 = 366 * 1440
    /// What a length must be.
    package static let rule = "a whole multiple of 5m, such as 10m, 1h or 1d"

    /// - Parameter offset: returns the seconds that the local clock is ahead of UTC at a time.
    /// - Returns: `nil` for a length that isn't a whole multiple of 5 minutes, or is longer than a year.
    package init?(_ length: Duration, offset: @escaping @Sendable (Int64) -> Int) {
        let (seconds, rest) = length.components
        let (minutes, more) = seconds.quotientAndRemainder(dividingBy: 60)
        guard rest == 0, more == 0, minutes % 5 == 0, (5...Self.longest).contains(minutes) else { return nil }
        period = minutes % 60 == 0 ? .hour : .fiveMinutes
        periods = minutes / period.rawValue
        self.offset = offset
    }

    private var milliseconds: Int64 { period.milliseconds * periods }

    /// Returns the first and the last millisecond of the window that a time is in.
    package func window(of time: Int64) -> ClosedRange<Int64> {
        guard period == .hour || periods > 1, time.magnitude < 1 << 50 else {
            let start = period.time(of: period.start(of: time))
            return start...max(start, start &+ (period.milliseconds - 1))
        }
        var next = UTCTime.local(time, offset: offset).quotient(roundedDownBy: milliseconds) + 1
        var (start, end) = (start(of: next - 1), start(of: next))
        // The clock has been set back since the next window began.
        while end <= time {
            next += 1
            (start, end) = (end, self.start(of: next))
        }
        guard end - start >= 2 * milliseconds else { return start...end - 1 }
        start += (time - start) / milliseconds * milliseconds
        return start...min(end, start + milliseconds) - 1
    }

    /// Returns when a window begins, by the number of windows since 1970.
    private func start(of index: Int64) -> Int64 { UTCTime.universal(index * milliseconds, offset: offset).lowerBound }

    /// Returns those of some hours that aren't in one window, as in zones that are half an hour ahead.
    ///
    /// - Parameter hours: as counted from 1970, in order.
    func split(_ hours: [Int64]) -> Set<Int64> {
        var window: ClosedRange<Int64>?
        return Set(
            hours.filter { hour in
                let start = Summary.Period.hour.time(of: hour)
                let found = window.flatMap { $0.contains(start) ? $0 : nil } ?? self.window(of: start)
                window = found
                return found.upperBound < start &+ (Summary.Period.hour.milliseconds - 1)
            })
    }
}

/// Puts summaries of periods together to those of windows. Pure.
private struct SummaryMerger {
    let windows: SummaryWindows
    private var current: ClosedRange<Int64>?
    private var summaries: [Summary] = []
    private var places: [StoredSeriesKey: Int] = [:]

    init(_ windows: SummaryWindows) { self.windows = windows }

    /// Takes the next summary, in the order of time. Returns those of the window before, if it is complete now.
    mutating func add(_ summary: Summary) -> [Summary] {
        var complete: [Summary] = []
        let window: ClosedRange<Int64>
        if let current, current.contains(summary.middle) {
            window = current
        } else {
            complete = finish()
            window = windows.window(of: summary.middle)
            current = window
        }
        if let place = places[summary.series] {
            summaries[place].append(summary)
        } else {
            places[summary.series] = summaries.count
            var first = summary
            (first.start, first.period, first.periods) = (window.lowerBound, windows.period, windows.periods)
            summaries.append(first)
        }
        return complete
    }

    mutating func finish() -> [Summary] {
        defer { (summaries, places) = ([], [:]) }
        return summaries
    }
}

extension HistoryReader {
    /// Passes the summary of each series and window with values to `body`, the oldest first.
    ///
    /// - Parameter query: the selection; a window that contains `since` or `until` counts completely.
    /// - Throws: `HistoryError`, and what `body` throws.
    package func summaries(
        _ query: HistoryQuery = HistoryQuery(), in windows: SummaryWindows, _ body: (Summary) throws -> Void
    ) throws {
        var query = query
        query.since = query.since.map { windows.window(of: $0).lowerBound }
        query.until = query.until.map { windows.window(of: $0).upperBound }
        let time = (query.since ?? .min)...max(query.since ?? .min, query.until ?? .max)
        var merger = SummaryMerger(windows)
        try summaries(query, toFit: windows) { summary in
            guard time.contains(summary.middle) else { return }
            for complete in merger.add(summary) { try body(complete) }
        }
        for summary in merger.finish() { try body(summary) }
    }
}
