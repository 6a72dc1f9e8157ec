import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords

/// A sparkline of a number. A page has many of them, so that each is as short as it can be.
struct SparklineFigure {
    let series: PlottedSeries
    let trends: Trends

    static let columns = 36
    private static let width = 108.0
    private static let height = 36.0

    var svg: Markup {
        """
        <svg class="spark" viewBox="0 -2 108 36" preserveAspectRatio="none" role="img" aria-label="\(label)">\
        <path class="line" d="\(path)"/></svg>
        """
    }

    private var path: Markup {
        let trace = PlotTrace(
            axis: PlotAxis(series.range, most: 2), columns: trends.columns, width: Self.width,
            height: Self.height - 4)
        return SVGMarks.path(trace.means(of: series))
    }

    private var label: String {
        let numbers = [series.points.map(\.least).min(), series.points.map(\.greatest).max()].compactMap(\.self)
        let texts = series.texts(numbers)
        return "\(DurationText.rounded(trends.length)): \(texts.joined(separator: " to "))"
    }
}
