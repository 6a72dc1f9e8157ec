import BlekeepRecords

/// What a plot shows of a device.
package struct PlotSelection: Sendable {
    package var device: DeviceID
    package var time: ClosedRange<Int64>
    /// The number of columns that share the time.
    package var columns: Int
    /// The only characteristic; `nil` for several or all.
    package var characteristic: BluetoothUUID?
    /// As in `HistoryQuery`.
    package var field: String?
    package var isWanted: @Sendable (SeriesKey) -> Bool
    /// Whether the plot may begin later than `time`, with the device's first reading.
    package var isFitted: Bool

    /// - Parameters:
    ///   - time: a shorter time than a second becomes one.
    ///   - columns: from 1 to 4096.
    package init(
        device: DeviceID, time: ClosedRange<Int64>, columns: Int, characteristic: BluetoothUUID? = nil,
        field: String? = nil, isFitted: Bool = false,
        isWanted: @escaping @Sendable (SeriesKey) -> Bool = { _ in true }
    ) {
        self.device = device
        let least = max(-Self.latest, min(Self.latest, time.lowerBound))
        self.time = least...max(least + 1000, min(Self.latest, time.upperBound))
        self.columns = max(1, min(Self.maxColumns, columns))
        self.characteristic = characteristic
        self.field = field
        self.isFitted = isFitted
        self.isWanted = isWanted
    }

    private static let maxColumns = 4096
    /// Some 35 000 years from 1970.
    private static let latest: Int64 = 1 << 50

    func includes(_ series: PlottedSeries) -> Bool {
        Self.isMeasured(series.key.source.service, field: series.field) && isWanted(series.key)
    }

    /// Whether a field is a measurement. Flags and facts about the device aren't.
    package static func isMeasured(_ service: BluetoothUUID?, field: String) -> Bool {
        field != "flags" && service != BluetoothUUID(0x180A)
    }
}

/// Where the numbers of a plot come from, from fine to coarse.
enum PlotSource: CaseIterable {
    case readings, fiveMinutes, hours

    var period: Summary.Period? {
        switch self {
        case .readings: nil
        case .fiveMinutes: .fiveMinutes
        case .hours: .hour
        }
    }

    /// Returns the sources of a plot: first the coarsest that still fills its columns. The others are for the time before
    /// that, because the history keeps summaries longer than readings.
    ///
    /// - Parameter width: how long a column is, in milliseconds.
    static func sources(width: Double) -> [PlotSource] {
        let first = allCases.last { $0.period.map { Double($0.milliseconds) < width } ?? true } ?? .readings
        return Array(allCases.drop { $0 != first })
    }
}

extension HistoryReader {
    private struct Found: Error {}

    /// Returns the numbers of a device in columns.
    ///
    /// It reads row by row, and keeps only the columns.
    package func plotted(_ selection: PlotSelection) throws -> PlottedDevice {
        var query = HistoryQuery(
            device: selection.device, characteristic: selection.characteristic, field: selection.field)
        var time = selection.time
        if selection.isFitted, let first = try firstTime(query, in: time) {
            // Even a single reading needs a time to be drawn in.
            time = max(time.lowerBound, min(first, time.upperBound - 1000))...time.upperBound
        }
        var builder = PlotBuilder(selection, time)
        var sources = PlotSource.sources(width: PlotColumns.width(time, columns: selection.columns))
        // Summaries are only for the time before the readings that the history still has.
        if sources.first == .readings, let kept = try page(query, after: 0, limit: 1).first?.reading.time,
            kept <= time.lowerBound
        {
            sources = [.readings]
        }
        query.since = time.lowerBound
        for source in sources {
            query.until = time.upperBound
            if let earliest = builder.earliest {
                let end = source.period.map { $0.time(of: $0.start(of: earliest)) } ?? earliest
                guard end > time.lowerBound else { break }
                query.until = end - 1
            }
            if let period = source.period {
                try summaries(query, every: period) { builder.add($0) }
            } else {
                try joined(query) { builder.add($0.reading) }
            }
        }
        for newest in try latest(query) { builder.hold(newest.reading) }
        var plot = builder.result(try heardTimes(of: [selection.device], in: time)[selection.device])
        query.until = time.upperBound
        plot.logged = try loggedTimes(query)
        return plot
    }

    /// Returns the numbers of several devices in columns, with one axis of time.
    ///
    /// - Parameter selections: of the same time; at least one.
    package func plotted(_ selections: [PlotSelection]) throws -> PlottedDevice {
        let plots = try selections.map { try plotted($0) }
        guard plots.count > 1 else { return plots.first ?? PlottedDevice([]) }
        let drawn = zip(selections, plots).filter { !$0.1.series.isEmpty }
        let start = drawn.map(\.1.time.lowerBound).min()
        return PlottedDevice(
            try drawn.map { selection, plot in
                guard let start, plot.time.lowerBound != start else { return plot }
                var selection = selection
                (selection.time, selection.isFitted) = (start...plot.time.upperBound, false)
                return try plotted(selection)
            })
    }

    /// Returns the time of the device's first reading if that is in this time.
    private func firstTime(_ query: HistoryQuery, in time: ClosedRange<Int64>) throws -> Int64? {
        var query = query
        query.until = time.upperBound
        var hour: Int64?
        do {
            try summaries(query, every: .hour) {
                hour = $0.start
                throw Found()
            }
        } catch is Found {}
        guard let hour, hour > time.lowerBound - Summary.Period.hour.milliseconds else { return nil }
        query.since = hour
        query.until = min(time.upperBound, hour + Summary.Period.hour.milliseconds)
        let first = try page(query, after: 0, limit: 1).first?.reading.time ?? hour
        return time.contains(first) ? first : nil
    }
}
