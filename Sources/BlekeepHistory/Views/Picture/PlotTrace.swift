import BlekeepOutputs

/// How the numbers of a series become marks in a rectangle: a line of means, and an area from the least to the greatest
/// number of each column.
package struct PlotTrace {
    private let axis: PlotAxis
    private let columns: Int
    private let width: Double
    private let height: Double

    /// - Parameters:
    ///   - axis: the vertical axis.
    ///   - columns: the number of columns that share the width.
    package init(axis: PlotAxis, columns: Int, width: Double, height: Double) {
        self.axis = axis
        self.columns = max(1, columns)
        self.width = width
        self.height = height
    }

    /// Returns where the middle of a column is.
    package func x(_ column: Int) -> Double { max(0, min(1, (Double(column) + 0.5) / Double(columns))) * width }

    /// - Parameter number: in the shown unit.
    package func y(_ number: Double) -> Double { (1 - axis.position(of: number)) * height }

    /// Returns the means in parts without a gap.
    package func means(of series: PlottedSeries) -> [[SVGMarks.Place]] {
        series.runs.map { run in run.map { (x($0.column), y($0.mean * series.factor)) } }
    }

    /// The line and, in the style `band`, the area.
    package func marks(of series: PlottedSeries) -> [Markup] {
        let factor = series.factor
        func place(_ point: PlottedPoint, _ number: Double) -> SVGMarks.Place { (x(point.column), y(number * factor)) }
        return series.runs.flatMap { run -> [Markup] in
            guard run.count > 1 else {
                return run.map { point in
                    let (top, bottom) = (place(point, point.greatest), place(point, point.least))
                    return SVGMarks.box(
                        x: top.x - 1, y: top.y - 1, width: 2, height: bottom.y - top.y + 2, style: "line")
                }
            }
            let line = SVGMarks.line(run.map { place($0, $0.mean) }, style: "line")
            guard run.contains(where: { $0.least < $0.greatest }) else { return [line] }
            let edge = run.map { place($0, $0.greatest) } + run.reversed().map { place($0, $0.least) }
            return [SVGMarks.area(edge, style: "band"), line]
        }
    }
}

extension PlottedSeries {
    /// The points in parts without a gap.
    package var runs: [ArraySlice<PlottedPoint>] {
        let starts = points.indices.filter { $0 == points.startIndex || !points[$0].isJoined }
        return zip(starts, starts.dropFirst() + [points.endIndex]).map { points[$0..<$1] }
    }
}
