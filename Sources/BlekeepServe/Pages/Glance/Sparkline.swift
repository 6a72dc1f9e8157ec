import Blekeep
import BlekeepHistory
import BlekeepOutputs

/// The course of a number, as a small picture.
struct Sparkline {
    let series: PlottedSeries
    let trends: Trends

    static let columns = 48
    private static let width = 96.0
    private static let height = 24.0

    var svg: Markup {
        let axis = PlotAxis(series.range, most: 2)
        let trace = PlotTrace(axis: axis, columns: trends.columns, top: 1, width: Self.width, height: Self.height - 2)
        let marks = trace.marks(of: series, .style("line"), range: .style("band"))
        return """
            <svg class="spark" viewBox="0 0 96 24" preserveAspectRatio="none" role="img" aria-label="\(label)">\(marks)</svg>
            """
    }

    private var label: String {
        let numbers = [series.points.map(\.least).min(), series.points.map(\.greatest).max()]
        let texts = numbers.compactMap { $0.map(series.text) }
        return "\(DurationText.rounded(trends.length)): \(texts.joined(separator: " to ")) \(series.shownUnit)"
    }
}
