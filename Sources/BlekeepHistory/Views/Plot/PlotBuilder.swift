import BlekeepRecords

/// Puts the series of a plot together from readings and summaries, which it takes one by one.
struct PlotBuilder {
    private struct Growing {
        var series: PlottedSeries
        var columns: PlotColumns
        var states: [Int: PlottedState] = [:]
    }

    private let selection: PlotSelection
    private let time: ClosedRange<Int64>
    private var growing: [SeriesKey: Growing] = [:]
    private var leftOut: Set<SeriesKey> = []
    private var name: (text: String, time: Int64)?
    /// The earliest time of a reading or a summary, whatever it is of.
    private(set) var earliest: Int64?

    /// The most fields beyond the drawn ones that are counted.
    private static let maxLeftOut = 1000

    init(_ selection: PlotSelection, _ time: ClosedRange<Int64>) { (self.selection, self.time) = (selection, time) }

    mutating func add(_ reading: Reading) {
        note(reading.device, at: reading.time)
        guard case .value(let measurement, _) = reading.outcome else { return }
        let series = PlottedSeries(id: reading.id, address: reading.address, key: reading.key, name: reading.name)
        if let number = measurement.value?.plottedNumber {
            add(PlottedPoint(number, at: reading.time), to: series)
        } else if measurement.value == nil, let word = measurement.state, time.contains(reading.time) {
            guard let key = key(for: series), let column = growing[key]?.columns.column(of: reading.time) else {
                return
            }
            growing[key]?.states[column] = PlottedState(column: column, time: reading.time, word: word)
        }
    }

    mutating func add(_ summary: Summary) {
        note(summary.device, at: summary.start)
        guard summary.key.field != nil, let least = summary.minimum, let greatest = summary.maximum,
            let mean = summary.mean, least <= greatest
        else { return }
        let series = PlottedSeries(id: summary.id, address: summary.address, key: summary.key, name: summary.name)
        let (end, isTooLate) = summary.start.addingReportingOverflow(summary.milliseconds)
        guard !isTooLate else { return }
        // Rounding may move a mean past its numbers.
        let point = PlottedPoint(
            column: 0, first: summary.start, last: end, least: least, greatest: greatest,
            mean: max(least, min(greatest, mean)), latest: summary.last?.plottedNumber ?? mean, count: summary.count)
        add(point, to: series)
    }

    private mutating func note(_ device: String, at time: Int64) {
        earliest = min(earliest ?? time, time)
        if name.map({ time >= $0.time }) ?? true { name = (device, time) }
    }

    private mutating func add(_ point: PlottedPoint, to series: PlottedSeries) {
        guard let key = key(for: series) else { return }
        growing[key]?.columns.add(point)
    }

    /// Returns the key of a series, which grows from now on; `nil` if it isn't drawn.
    private mutating func key(for series: PlottedSeries) -> SeriesKey? {
        let key = series.key
        guard growing[key] == nil else { return key }
        guard selection.includes(series) else { return nil }
        guard growing.count < PlottedDevice.maxSeries else {
            if leftOut.count < Self.maxLeftOut { leftOut.insert(key) }
            return nil
        }
        growing[key] = Growing(series: series, columns: PlotColumns(time, columns: selection.columns))
        return key
    }

    /// Takes the newest reading of a series that may hold from before the plot's time.
    mutating func hold(_ reading: Reading) {
        guard reading.isAdvertised, reading.time < time.lowerBound else { return }
        var held = reading
        held.time = time.lowerBound
        add(held)
    }

    /// Returns what the plot draws.
    ///
    /// - Parameter heard: when blekeep heard the device.
    func result(_ heard: HeardTimes?) -> PlottedDevice {
        var device = PlottedDevice(name: name?.text ?? "", time: time, columns: selection.columns)
        device.leftOut = leftOut.count
        device.series = growing.values.compactMap { growing in
            var series = growing.series
            let columns = growing.columns
            series.points =
                heard.flatMap { series.key.source.isAdvertised ? columns.result($0) : nil } ?? columns.result
            series.states = growing.states.values.sorted { $0.column < $1.column }
            return series.points.isEmpty ? nil : series
        }
        // A field may have had another unit.
        device.series.sort { ($0.place, $0.unit ?? "") < ($1.place, $1.unit ?? "") }
        return device
    }
}

extension MeasuredValue {
    /// The number that a plot draws; `nil` for text, truth values and lists.
    package var plottedNumber: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        case .text, .boolean, .list: nil
        }
    }
}
