import BlekeepOutputs
import BlekeepRecords

/// The numbers of a device in a time, in columns, as a plot draws them.
package struct PlottedDevice: Sendable, Hashable {
    /// The alias as it was last.
    package var name: String
    package var time: ClosedRange<Int64>
    /// The number of columns that share the time.
    package var columns: Int
    package var series: [PlottedSeries]
    /// The number of fields beyond `maxSeries`.
    package var leftOut: Int
    /// The times with values that the device kept in its own memory, in order.
    package var logged: [ClosedRange<Int64>] = []

    package init(name: String, time: ClosedRange<Int64>, columns: Int, series: [PlottedSeries] = [], leftOut: Int = 0) {
        self.name = name
        self.time = time
        self.columns = columns
        self.series = series
        self.leftOut = leftOut
    }

    /// Several devices in one plot.
    ///
    /// - Parameter devices: of the same time and columns; at least one.
    package init(_ devices: [PlottedDevice]) {
        let named = devices.map { device in
            device.series.map { series in
                var series = series
                series.device = device.name
                return series
            }
        }
        // The same measurement of each device before the next one.
        let all = (0..<(named.map(\.count).max() ?? 0)).flatMap { index in
            named.compactMap { $0.dropFirst(index).first }
        }
        let names = devices.map(\.name)
        self.init(
            name: names.count > 3
                ? "\(names.prefix(2).joined(separator: ", ")) and \(names.count - 2) more"
                : names.joined(separator: ", "),
            time: devices.first?.time ?? 0...1, columns: devices.first?.columns ?? 1,
            series: Array(all.prefix(Self.maxSeries)),
            leftOut: devices.reduce(0) { $0 + $1.leftOut } + max(0, all.count - Self.maxSeries))
        logged = LogCoverage.merged(devices.flatMap(\.logged))
    }

    /// A device with more fields would make no plot.
    package static let maxSeries = 24

    /// The plot without diagnostic series, unless the device has no others.
    package var folded: PlottedDevice {
        let shown = series.filter { $0.place.group != .diagnostic }
        guard !shown.isEmpty else { return self }
        var plot = self
        plot.leftOut += series.count - shown.count
        plot.series = shown
        return plot
    }

    /// The series in groups that share an axis: those of one unit. A series without a unit is alone. The charge of a
    /// battery shares no axis with other percentages, which hardly ever have its range.
    package var panels: [PlotPanel] {
        var panels: [PlotPanel] = []
        for series in series {
            let unit = series.shownUnit
            let shares = { (panel: PlotPanel) in
                panel.unit == unit && panel.isOfCharge == (series.place.group == .charge)
            }
            if !unit.isEmpty, let index = panels.firstIndex(where: shares) {
                panels[index].series.append(series)
            } else {
                panels.append(PlotPanel(unit: unit, series: [series]))
            }
        }
        return panels
    }
}

/// The series that share an axis.
package struct PlotPanel: Sendable, Hashable {
    /// As shown to people; empty for plain numbers.
    package var unit: String
    package var series: [PlottedSeries]
    /// Whether the axis begins at zero.
    package var hasZero = false

    package init(unit: String, series: [PlottedSeries]) { (self.unit, self.series) = (unit, series) }

    package init(_ series: PlottedSeries) { self.init(unit: series.shownUnit, series: [series]) }

    /// Whether users want it only when they look for it.
    package var isDiagnostic: Bool { series.allSatisfy { $0.place.group == .diagnostic } }

    fileprivate var isOfCharge: Bool { series.contains { $0.place.group == .charge } }

    /// The least and the greatest number, in the shown unit.
    package var range: ClosedRange<Double> {
        let least = series.map(\.range.lowerBound).min() ?? 0
        let greatest = series.map(\.range.upperBound).max() ?? 0
        return least...max(least, greatest)
    }

    /// The range of an axis on a page: for the charge of a battery 0 to 100, and never less than ten steps of the sensor, so
    /// that its last digit doesn't look like a change.
    package var axisRange: ClosedRange<Double> {
        guard !isOfCharge else { return min(0, range.lowerBound)...max(100, range.upperBound) }
        let least = hasZero ? min(0, range.lowerBound) : range.lowerBound
        let room = max(0, 10 * (series.map(\.step).min() ?? 0) - (range.upperBound - least)) / 2
        // Numbers that have no sign get no axis with one.
        let lower = least >= 0 ? max(0, least - room) : least - room
        return lower...max(range.upperBound, lower + (range.upperBound - least) + 2 * room)
    }
}

/// The numbers of a field, in columns.
package struct PlottedSeries: Sendable, Hashable {
    /// The alias as it was last, in a plot of several devices; `nil` in one of a single device.
    package var device: String?
    package var id: DeviceID
    package var address: BluetoothAddress
    /// With a field, and the unit of the points.
    package var key: SeriesKey
    package var name: String
    /// In the order of time; none without a number.
    package var points: [PlottedPoint] = []
    /// The special values that readings had instead of numbers, the last one of each column, in the order of time.
    package var states: [PlottedState] = []

    package var field: String { key.field ?? "" }
    package var unit: String? { key.unit }

    /// For people, such as `Temperature`, or `cellar Temperature` in a plot of several devices.
    package var label: String {
        let measured = MeasuredName.text(key, name: name)
        return device.map { "\(Untrusted($0)) \(measured)" } ?? measured
    }

    /// Its place among those of a device.
    package var place: ValuePlace { ValuePlace(key, name: name) }

    /// As shown to people; empty for plain numbers.
    package var shownUnit: String { Untrusted(DisplayUnit.scale(of: unit).unit).description }

    /// What a number is multiplied by to get the shown unit.
    package var factor: Double { DisplayUnit.scale(of: unit).factor }

    /// The least and the greatest number, in the shown unit.
    package var range: ClosedRange<Double> {
        let least = points.map(\.least).min() ?? 0
        let greatest = points.map(\.greatest).max() ?? 0
        return least * factor...max(least, greatest) * factor
    }

    /// Returns numbers of points in the shown unit, all with as many decimals as one of them needs.
    package func texts(_ numbers: [Double]) -> [String] {
        let needed = numbers.map { Self.decimals(in: text($0, decimals: nil)) }.max() ?? 0
        return numbers.map { text($0, decimals: needed) }
    }

    /// Returns the least, the mean and the greatest number of points in the shown unit. A mean has no more decimals than the
    /// numbers that it is of.
    package func texts(_ points: [PlottedPoint]) -> [(least: String, mean: String, greatest: String)] {
        let decimals =
            points.flatMap { [$0.least, $0.greatest] }
            .map { Self.decimals(in: text($0, decimals: nil)) }.max() ?? 0
        return points.map { point in
            (
                text(point.least, decimals: decimals), text(point.mean, decimals: decimals),
                text(point.greatest, decimals: decimals)
            )
        }
    }

    private func text(_ number: Double, decimals: Int?) -> String {
        DisplayUnit.human(Measurement(field: field, value: .number(number), unit: unit, decimals: decimals)).value
    }

    /// The least difference between numbers, as their last digit shows it, in the shown unit.
    fileprivate var step: Double {
        let shown = Set(points.prefix(Self.maxCompared).flatMap { [$0.least, $0.greatest] })
        let decimals = shown.map { Self.decimals(in: text($0, decimals: nil)) }.max() ?? 0
        return (0..<min(3, decimals)).reduce(1.0) { step, _ in step / 10 }
    }

    private static let maxCompared = 100

    private static func decimals(in text: String) -> Int {
        guard let point = text.firstIndex(of: "."), !text.contains("e") else { return 0 }
        return text.distance(from: point, to: text.endIndex) - 1
    }
}

/// A special value, such as `unknown`, in a column.
package struct PlottedState: Sendable, Hashable {
    package var column: Int
    package var time: Int64
    package var word: String
}

/// The numbers of a column.
package struct PlottedPoint: Sendable, Hashable {
    package var column: Int
    /// The times of the first and the last number, in milliseconds since 1970. A summary counts for all of its period.
    package var first: Int64
    package var last: Int64
    package var least: Double
    package var greatest: Double
    package var mean: Double
    /// The newest number.
    package var latest: Double
    package var count: Int64
    /// Whether a line leads here from the point before, because there is no gap between them.
    package var isJoined = false
}

extension PlottedPoint {
    /// A single number, which has no column yet.
    init(_ number: Double, at time: Int64) {
        self.init(
            column: 0, first: time, last: time, least: number, greatest: number, mean: number, latest: number, count: 1)
    }
}
