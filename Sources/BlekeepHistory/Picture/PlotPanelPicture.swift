import BlekeepOutputs

/// A panel of a plot in a picture: an axis, and a line for each series, with the range of each column behind it.
struct PlotPanelPicture {
    private let panel: PlotPanel
    private let plot: PlottedDevice
    private let offset: (Int64) -> Int
    private let axis: PlotAxis

    static let left = 64.0
    static let right = 704.0
    private static let titleHeight = 18.0
    private static let plotHeight = 120.0
    private static let axisHeight = 28.0
    private static let legendRow = 14.0
    /// Between the legend and the axis, whose highest number stands half above it.
    private static let gap = 6.0
    private static let colors = [
        "#1f6fb2", "#d9480f", "#2e8b57", "#8b3fa8", "#b8860b", "#c2255c", "#0b7285", "#5c4033",
    ]

    /// The number of columns: one for each two pixels.
    static let columns = Int((right - left) / 2)

    init(_ panel: PlotPanel, of plot: PlottedDevice, offset: @escaping (Int64) -> Int) {
        self.panel = panel
        self.plot = plot
        self.offset = offset
        axis = PlotAxis(panel.range, most: 6)
    }

    var height: Double {
        legendHeight + Self.plotHeight + Self.axisHeight
    }

    /// The height of all that is above the axis.
    private var legendHeight: Double {
        Self.titleHeight + Double(panel.series.count) * Self.legendRow + Self.gap
    }

    func marks(top: Double) -> [Markup] {
        let bottom = top + legendHeight
        return [SVGMarks.label(x: 16, y: top + 12, panel.unit, size: 12)]
            + legend(top: top + Self.titleHeight)
            + frame(top: bottom)
            + panel.series.enumerated().flatMap { index, series in
                lines(
                    series, color: Self.colors[index % Self.colors.count], isDashed: index >= Self.colors.count,
                    top: bottom)
            }
    }

    /// The least, the greatest and the last number of each series.
    private func legend(top: Double) -> [Markup] {
        panel.series.enumerated().flatMap { index, series in
            let y = top + Double(index) * Self.legendRow
            let color = Self.colors[index % Self.colors.count]
            let swatch = SVGMarks.line(
                [(16, y + 5), (32, y + 5)], ink: .color(color), width: 3, isDashed: index >= Self.colors.count)
            return [swatch, SVGMarks.label(x: 38, y: y + 9, series.label, size: 10), numbers(series, y: y + 9)]
        }
    }

    private func numbers(_ series: PlottedSeries, y: Double) -> Markup {
        SVGMarks.label(x: Self.right, y: y, PlotLegend(series).text, size: 10, anchor: .end)
    }

    private func frame(top: Double) -> [Markup] {
        let bottom = top + Self.plotHeight
        var parts = [
            SVGMarks.box(x: Self.left, y: top, width: Self.right - Self.left, height: Self.plotHeight, ink: "#f4f4f4")
        ]
        for tick in axis.ticks {
            let y = bottom - axis.position(of: tick.value) * Self.plotHeight
            parts.append(SVGMarks.line([(Self.left, y), (Self.right, y)], ink: "#dddddd", width: 1))
            parts.append(SVGMarks.label(x: Self.left - 6, y: y + 3, tick.text, size: 10, anchor: .end))
        }
        for tick in TimeAxis(plot.time, offset: offset).ticks(most: 10) {
            let x = Self.left + tick.position * (Self.right - Self.left)
            parts.append(SVGMarks.line([(x, bottom), (x, bottom + 4)], ink: "#888888", width: 1))
            parts.append(SVGMarks.label(x: x, y: bottom + 15, tick.text, size: 10, anchor: .middle))
        }
        return parts
    }

    private func lines(_ series: PlottedSeries, color: String, isDashed: Bool, top: Double) -> [Markup] {
        let trace = PlotTrace(
            axis: axis, columns: plot.columns, left: Self.left, top: top, width: Self.right - Self.left,
            height: Self.plotHeight)
        return trace.marks(of: series, .color(color), range: .color(color), isDashed: isDashed)
    }
}

/// The numbers in the legend of a series.
package struct PlotLegend: Sendable {
    /// For example `min 18.2  max 24.9  last 21.3 °C`.
    package let text: String

    package init(_ series: PlottedSeries) {
        let numbers = [
            ("min", series.points.map(\.least).min()), ("max", series.points.map(\.greatest).max()),
            ("last", series.points.last?.latest),
        ].compactMap { word, number in number.map { (word: word, number: $0) } }
        let texts = zip(numbers, series.texts(numbers.map(\.number))).map { "\($0.word) \($1)" }
        text = texts.joined(separator: "  ") + (series.shownUnit.isEmpty ? "" : " \(series.shownUnit)")
    }
}
