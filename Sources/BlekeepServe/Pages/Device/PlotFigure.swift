import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords

/// The course of a number over a time: the range of each column, a line of means, gaps, and marks of special values.
///
/// Lines stretch to the width of the page. Labels don't: they are at percentages of the width.
struct PlotFigure {
    let plot: PlottedDevice
    let series: PlottedSeries
    let clock: PageClock
    /// The identifier of the heading in the page.
    let identifier: String

    private static let width = 1000.0
    private static let height = 160.0
    /// A wide page has room for twice as many ticks as a phone.
    private static let ticks = 6

    var html: Markup {
        let axis = PlotAxis(series.range, most: 5)
        return """
            <figure class="plot panel" aria-labelledby="\(identifier)">
            <figcaption><h3 id="\(identifier)">\(series.label)</h3><p class="numbers">\(PlotLegend(series).text)</p></figcaption>
            <div class="graph" role="img" aria-label="\(series.label): \(PlotLegend(series).text)">\(scale(axis))\(area(axis))</div>
            </figure>
            """
    }

    private func percent(_ share: Double) -> String { SVGMarks.number(max(0, min(1, share)) * 100) + "%" }

    private func y(_ number: Double, _ axis: PlotAxis) -> Double { (1 - axis.position(of: number)) * Self.height }

    private func scale(_ axis: PlotAxis) -> Markup {
        let labels = axis.ticks.map { tick -> Markup in
            "<text x=\"100%\" y=\"\(SVGMarks.number(y(tick.value, axis) + 4))\" text-anchor=\"end\">\(tick.text)</text>"
        }
        return "<svg class=\"scale\" aria-hidden=\"true\">\(labels)</svg>"
    }

    private func area(_ axis: PlotAxis) -> Markup {
        let trace = PlotTrace(axis: axis, columns: plot.columns, width: Self.width, height: Self.height)
        let grid = axis.ticks.map { tick in
            SVGMarks.line([(0, y(tick.value, axis)), (Self.width, y(tick.value, axis))], ink: .style("grid"), width: 1)
        }
        let marks = trace.marks(of: series, .style("line"), range: .style("band"))
        return """
            <svg class="area" aria-hidden="true">\
            <svg class="lines" viewBox="0 0 1000 160" preserveAspectRatio="none" width="100%" height="160">\
            \(grid)\(marks)</svg>\(times)\(states)</svg>
            """
    }

    /// A phone has no room for these.
    private static let minor: Markup = " class=\"minor\""

    private var times: [Markup] {
        TimeAxis(plot.time, offset: clock.offset).ticks(most: Self.ticks).enumerated().map { index, tick in
            let place = percent(tick.position)
            // Dates are the gateway's.
            let form: Markup? = tick.text.contains(":") ? " data-as=\"tick\"" : nil
            return """
                <line class="tick" x1="\(place)" x2="\(place)" y1="160" y2="165"/>\
                <text\(index % 2 == 0 ? "" : Self.minor) x="\(place)" y="179" text-anchor="middle"\(form) \
                data-time="\(UTCTime(milliseconds: tick.time).iso)">\(tick.text)</text>
                """
        }
    }

    private var states: [Markup] {
        series.states.map { state in
            let place = percent((Double(state.column) + 0.5) / Double(max(1, plot.columns)))
            return """
                <circle class="special" cx="\(place)" cy="5" r="3.5"><title>\(clock.local(state.time)): \
                \(Untrusted(state.word))</title></circle>
                """
        }
    }
}
