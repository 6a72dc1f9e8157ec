import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords

/// The numbers of several devices in one plot for each unit. Pure.
struct ComparePage {
    /// A device that can be chosen.
    struct Choice: Sendable {
        var id: DeviceID
        var name: String
    }

    let request: CompareRequest
    let span: ClosedRange<Int64>
    /// In the order of their names.
    let choices: [Choice]
    /// The names of the chosen devices' numbers.
    let fields: [String]
    let chosen: Set<DeviceID>
    /// `nil` without a chosen device, and when the browser has a plot that is new enough.
    let plot: PlottedDevice?
    let marks: [PlotMark]
    /// Those about the chosen devices.
    let rules: [RuleStatus]
    let clock: PageClock
    let isStale: Bool

    private static let path = Endpoint.compare.rawValue
    private static let maxChoices = 200

    var content: PageContent {
        let pairs = request.pairs + request.view.pairs
        return PageContent(
            parts: [head, course].compactMap(\.self), live: String(path: Endpoint.compare.fragment, pairs),
            edition: clock.now, isStale: isStale, hasPlots: true)
    }

    private var head: Markup {
        let devices = choices.prefix(Self.maxChoices).map { choice in
            box("device", choice.id.description, label: choice.name, isChecked: chosen.contains(choice.id))
        }
        let values = fields.prefix(PlottedDevice.maxSeries).map { field in
            box("field", field, label: field, isChecked: request.fields.isEmpty || request.fields.contains(field))
        }
        let which: Markup? =
            values.isEmpty ? nil : "<fieldset><legend>Values</legend><div class=\"boxes\">\(values)</div></fieldset>"
        let hidden = request.view.pairs.map { pair -> Markup in
            "<input type=\"hidden\" name=\"\(pair.0)\" value=\"\(pair.1)\"/>"
        }
        let form: Markup = """
            <form action="\(Self.path)"><fieldset><legend>Devices, up to \(CompareRequest.maxDevices)</legend>\
            <div class="boxes">\(devices)</div></fieldset>\(which)\(hidden)<button>Compare</button></form>
            """
        let choice: Markup =
            choices.isEmpty
            ? "<p class=\"nothing\">There are no devices to compare yet.</p>"
            : chosen.isEmpty
                ? "<div class=\"panel choice\">\(form)</div>"
                : "<details class=\"panel choice\" id=\"choice\"><summary>Choose devices and values</summary>\(form)</details>"
        return """
            <section class="head" id="compare" aria-labelledby="title"><h1 id="title">Compare</h1>\(choice)</section>
            """
    }

    private func box(_ name: Markup, _ value: String, label: String, isChecked: Bool) -> Markup {
        let mark: Markup? = isChecked ? " checked=\"\"" : nil
        return """
            <label><input type="checkbox" name="\(name)" value="\(value)"\(mark)/> \(Untrusted(label))</label>
            """
    }

    private var course: Markup? {
        guard !chosen.isEmpty else { return nil }
        guard let plot else { return "<section id=\"course\" data-same></section>" }
        return PlotCourse(
            plot: plot, panels: plot.panels, marks: marks, rules: rules, view: request.view, span: span,
            path: Self.path,
            others: request.pairs, clock: clock
        ).html(after: nil)
    }
}

/// The plots of a page with the choice of their time, or tables.
struct PlotCourse {
    let plot: PlottedDevice
    let panels: [PlotPanel]
    let marks: [PlotMark]
    let rules: [RuleStatus]
    let view: PageView
    /// What the user wants to see; the plot may begin later.
    let span: ClosedRange<Int64>
    let path: String
    var others: [(String, String)] = []
    let clock: PageClock

    func html(after files: Markup?) -> Markup {
        let every: Markup? = view.time.isLive ? " data-every=\"\(seconds)\"" : nil
        return """
            <section class="course" id="course" aria-labelledby="course-title"\(every)>
            <h2 id="course-title">\(title)</h2>
            \(TimeNavigation(view: view, span: span, path: path, others: others, clock: clock).html)
            \(picture)
            \(files)
            </section>
            """
    }

    private var title: Markup {
        switch view.time {
        // The plot begins with the first reading.
        case .last where plot.time.lowerBound > span.lowerBound + (span.upperBound - span.lowerBound) / 20:
            "Since \(clock.time(plot.time.lowerBound, as: .moment))"
        case .last(let range): "The last \(String(range.name.trimmingPrefix("1 ")))"
        case .between:
            "\(clock.time(span.lowerBound, as: .moment)) to \(clock.time(span.upperBound, as: .moment))"
        }
    }

    /// A plot is drawn again when it has a new column.
    private var seconds: Int64 {
        max(5, (plot.time.upperBound - plot.time.lowerBound) / Int64(max(1, plot.columns)) / 1000)
    }

    private var picture: Markup {
        guard !panels.isEmpty else { return "<p class=\"nothing\">No numbers in this time.</p>" }
        let rest: Markup? = plot.leftOut > 0 ? "<p class=\"more\">\(plot.leftOut) more fields</p>" : nil
        guard !view.isTable else { return "\(PlotTable(plot: plot, marks: marks, clock: clock).html)\(rest)" }
        let figures = panels.enumerated().map { index, panel in
            PlotFigure(
                plot: plot, panel: panel, marks: marks, rules: rules, clock: clock, identifier: "plot-\(index)"
            ).html
        }
        // They are the last ones.
        let main = panels.firstIndex(where: \.isDiagnostic).flatMap { $0 > 0 ? $0 : nil } ?? panels.count
        let others: Markup? =
            main == panels.count
            ? nil
            : """
            <details id="others-course"><summary>\(panels.count - main) more</summary>\
            <div class="plots">\(Array(figures[main...]))</div></details>
            """
        return """
            \(PlotMark.keys(marks, in: plot.time))
            <div class="plots">\(Array(figures[..<main]))\(rest)</div>\(others)
            <p class="help">Move over a plot, or press the arrow keys in it, to read a moment. Drag to zoom in, drag with Shift \
            to move. With two fingers, pinch.</p>
            """
    }
}
