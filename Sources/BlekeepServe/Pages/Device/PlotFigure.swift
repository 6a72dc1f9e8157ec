import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords

/// A time in a plot in which something happened: blekeep didn't poll, attempts to read the device failed, a notice was given,
/// a rule fired, or the values come from the device's own memory.
struct PlotMark: Sendable {
    enum Kind: String, CaseIterable {
        case gap, failure, notice, rule, logged

        var meaning: Markup {
            switch self {
            case .gap: "blekeep didn’t poll"
            case .failure: "attempts failed"
            case .notice: "a notice was given"
            case .rule: "a rule fired"
            case .logged: "from the device’s own memory"
            }
        }
    }

    var kind: Kind
    var time: ClosedRange<Int64>
    var text: String
    /// The rule that fired, if it still is in the configuration. It marks the plots of its own quantity only.
    var rule: RuleStatus?

    /// More marks would hide the plot.
    static let maxMarks = 60

    /// The gaps in a report's sense, and the one that lasts while blekeep isn't polling.
    static func gaps(_ gaps: [Report.Gap], until status: StatusReport? = nil) -> [PlotMark] {
        let last = status.flatMap { status in
            status.staleSince.map {
                PlotMark(kind: .gap, time: $0...max($0, status.now), text: "blekeep isn’t polling")
            }
        }
        return gaps.suffix(maxMarks).map { gap in
            let length = gap.length.map(DurationText.rounded) ?? "for some time"
            return PlotMark(kind: .gap, time: gap.from...max(gap.from, gap.to), text: "\(gap.cause.words), \(length)")
        } + [last].compactMap(\.self)
    }

    /// The times with values that a device kept in its own memory.
    static func logged(_ times: [ClosedRange<Int64>]) -> [PlotMark] {
        times.suffix(maxMarks).map { time in
            let length = DurationText.rounded(.milliseconds(time.upperBound - time.lowerBound))
            return PlotMark(kind: .logged, time: time, text: "from the device’s own memory, \(length)")
        }
    }

    /// The attempts that failed.
    ///
    /// - Parameter name: returns the name of a device, in a plot of several.
    static func failures(_ entries: [LedgerEntry], name: ((DeviceID) -> String)? = nil) -> [PlotMark] {
        entries.suffix(maxMarks).map { entry in
            PlotMark(
                kind: .failure, time: entry.first...max(entry.first, entry.last),
                text: prefix(entry.device, name: name) + AttemptMessages.sentence(entry))
        }
    }

    /// The notices, but for those about rules: a rule has a mark of its own.
    static func notices(_ notices: [GivenNotice], name: ((DeviceID) -> String)? = nil) -> [PlotMark] {
        notices.filter { $0.rule == nil }.suffix(maxMarks).map { notice in
            PlotMark(
                kind: .notice, time: notice.time...notice.time,
                text: prefix(notice.device, name: name)
                    + "the notice \(Untrusted(notice.event.rawValue)): \(notice.words)")
        }
    }

    private static func prefix(_ device: DeviceID?, name: ((DeviceID) -> String)?) -> String {
        guard let device, let name else { return "" }
        return "\(Untrusted(name(device))): "
    }
}

extension GivenNotice {
    /// The message, and why the command failed.
    var words: String {
        let failed = failure.map { "; its command failed: \(Untrusted($0, limit: 200))" } ?? ""
        return Untrusted(message, limit: 200).description + failed
    }
}

extension PlotMark {
    /// The times in which rules fired.
    ///
    /// - Parameters:
    ///   - rules: those of the configuration.
    ///   - name: returns the name of a device, in a plot of several.
    static func firings(
        _ firings: [RuleFiring], rules: [RuleStatus] = [], now: Int64, name: ((DeviceID) -> String)? = nil
    ) -> [PlotMark] {
        firings.suffix(maxMarks).map { firing in
            let device = prefix(firing.device, name: name)
            let end = max(firing.fired, firing.isOver ? firing.ended ?? firing.fired : now)
            let milliseconds = end.subtractingReportingOverflow(firing.fired).partialValue
            let length = DurationText.rounded(.milliseconds(milliseconds))
            let state =
                !firing.isOver ? "fires, for \(length)" : firing.ended == nil ? "fired" : "fired for \(length)"
            let cause = firing.cause.map { ": \(Untrusted($0, limit: 200))" } ?? ""
            let ending = firing.ending.map { "; then \(Untrusted($0, limit: 200))" } ?? ""
            return PlotMark(
                kind: .rule, time: firing.fired...end,
                text: "\(device)the rule \(Untrusted(firing.rule)) \(state)\(cause)\(ending)",
                rule: rules.first { RuleKey($0) == RuleKey(rule: firing.rule, device: firing.device) })
        }
    }

    /// What the marks of a plot mean; `nil` without any.
    static func keys(_ marks: [PlotMark], in time: ClosedRange<Int64>) -> Markup? {
        let kinds = Kind.allCases.filter { kind in marks.contains { $0.kind == kind && $0.time.overlaps(time) } }
        guard !kinds.isEmpty else { return nil }
        let all = kinds.map { kind -> Markup in
            """
            <li><svg class="mode-key" viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" \
            class="\(kind.rawValue)"/></svg>\(kind.meaning)</li>
            """
        }
        return "<ul class=\"keys marks\" aria-label=\"Marks\">\(all)</ul>"
    }

    /// Where it is in a plot of 160 units: a gap from top to bottom, the others on the axis of time. A notice, which is a
    /// moment, is upright.
    fileprivate var place: (y: Int, height: Int) {
        switch kind {
        case .gap: (0, 160)
        case .failure: (156, 4)
        case .rule: (151, 4)
        case .notice: (136, 14)
        case .logged: (0, 4)
        }
    }
}

/// The course of one or several numbers over a time: the range of each column, a line of means, gaps, and marks of special
/// values.
///
/// Lines stretch to the width of the page. Labels don't: they are at percentages of the width. The script of plots finds
/// the numbers in `data-points`, to say which one a moment had.
struct PlotFigure {
    let plot: PlottedDevice
    let panel: PlotPanel
    var marks: [PlotMark] = []
    /// The rules whose limits it shows.
    var rules: [RuleStatus] = []
    let clock: PageClock
    /// The identifier of the heading in the page.
    let identifier: String

    private static let width = 1000.0
    private static let height = 160.0
    /// A wide page has room for twice as many ticks as a phone.
    private static let ticks = 6

    private var isSingle: Bool { panel.series.count == 1 }

    var html: Markup {
        let limits = limits
        let axis = PlotAxis(Self.range(panel.axisRange, with: limits), most: 5)
        return """
            <figure class="plot panel" aria-labelledby="\(identifier)">
            <figcaption>\(caption)</figcaption>
            <div class="graph" data-from="\(plot.time.lowerBound)" data-to="\(plot.time.upperBound)" \
            data-unit="\(panel.unit)" role="img" aria-label="\(label)">\(scale(axis))\(area(axis, limits))</div>
            \(numbers)
            </figure>
            """
    }

    /// The names of the series: where all measure the same, those of their devices.
    private var names: [String] {
        let measured = Set(panel.series.map { PlottedSeries.unnamed($0).label })
        return panel.series.map { series in
            measured.count > 1 ? series.label : series.device.map { "\(Untrusted($0))" } ?? series.label
        }
    }

    private var label: String {
        panel.series.map { "\($0.label): \(PlotLegend($0).text)" }.joined(separator: "; ")
    }

    /// What says that a text has numbers in °C, which the script may show in °F.
    static func celsius(_ unit: String?) -> Markup? { unit == "°C" ? " data-c" : nil }

    private var caption: Markup {
        let mark = Self.celsius(panel.unit)
        if let series = panel.series.first, isSingle, series.device == nil {
            return """
                <h3 id="\(identifier)">\(series.label)</h3><p class="numbers"\(mark)>\(PlotLegend(series).text)</p>
                """
        }
        let title = panel.series.first.map { PlottedSeries.unnamed($0).label } ?? ""
        let rows = zip(panel.series, names).enumerated().map { index, shown -> Markup in
            let (series, name) = shown
            return """
                <li class="s\(index % 8)"><svg viewBox="0 0 16 4" width="16" height="4" aria-hidden="true">\
                <path class="line" d="M0 2h16"/></svg> <a href="\(DevicePath.page(series.id))">\(name)</a> \
                <span class="numbers"\(mark)>\(PlotLegend(series).text)</span></li>
                """
        }
        return "<h3 id=\"\(identifier)\">\(title)</h3><ul class=\"legend\">\(rows)</ul>"
    }

    // MARK: The picture

    private func percent(_ share: Double) -> String { SVGMarks.number(max(0, min(1, share)) * 100) + "%" }

    private func y(_ number: Double, _ axis: PlotAxis) -> Double { (1 - axis.position(of: number)) * Self.height }

    private func scale(_ axis: PlotAxis) -> Markup {
        let labels = ticks(axis).map { tick, style -> Markup in
            let name: Markup? = style.isEmpty ? nil : " class=\"\(style)\""
            let y = SVGMarks.number(y(tick.value, axis) + 4)
            return "<text x=\"100%\" y=\"\(y)\" text-anchor=\"end\"\(name)>\(tick.text)</text>"
        }
        return "<svg class=\"scale\" aria-hidden=\"true\">\(labels)</svg>"
    }

    /// The ticks of an axis. One of °C also has ticks at round numbers of °F, and the page shows the chosen ones.
    private func ticks(_ axis: PlotAxis) -> [(PlotAxis.Tick, style: String)] {
        guard panel.unit == "°C" else { return axis.ticks.map { ($0, "") } }
        func fahrenheit(_ celsius: Double) -> Double { celsius * 1.8 + 32 }
        let others = PlotAxis(fahrenheit(axis.lower)...fahrenheit(axis.upper), most: 5).ticks.map { tick in
            var tick = tick
            tick.value = (tick.value - 32) / 1.8
            return tick
        }
        return axis.ticks.map { ($0, "in-c") } + others.map { ($0, "in-f") }
    }

    /// The limits of rules on what the panel shows, in its unit.
    private var limits: [Double] {
        rules.flatMap { rule -> [Double] in
            guard case .limit(_, let limit)? = rule.when?.test else { return [] }
            return panel.series.compactMap { series in
                guard series.isOf(rule) else { return nil }
                return Quantity.convert(
                    limit.number.nearest, from: limit.unit ?? "", to: series.unit ?? "", isDifference: false
                ).map { $0 * series.factor }
            }
        }
    }

    /// Returns the range of an axis with the limits that are near. One that is far would make the course flat.
    private static func range(_ range: ClosedRange<Double>, with limits: [Double]) -> ClosedRange<Double> {
        let room = range.upperBound - range.lowerBound
        let near = limits.filter { $0 >= range.lowerBound - room && $0 <= range.upperBound + room }
        return near.reduce(range) { min($0.lowerBound, $1)...max($0.upperBound, $1) }
    }

    private func area(_ axis: PlotAxis, _ limits: [Double]) -> Markup {
        let trace = PlotTrace(axis: axis, columns: plot.columns, width: Self.width, height: Self.height)
        let grid = ticks(axis).map { tick, style in
            let y = y(tick.value, axis)
            return SVGMarks.line([(0, y), (Self.width, y)], style: style.isEmpty ? "grid" : "grid \(style)")
        }
        let bounds = Set(limits).filter { axis.lower...axis.upper ~= $0 }.sorted().map { limit -> Markup in
            let y = y(limit, axis)
            return SVGMarks.line([(0, y), (Self.width, y)], style: "limit")
        }
        let lines = panel.series.enumerated().map { index, series -> Markup in
            guard !isSingle else { return "\(trace.marks(of: series))" }
            return """
                <path class="line s\(index % 8)" d="\(SVGMarks.path(trace.means(of: series)))"/>
                """
        }
        return """
            <svg class="area" aria-hidden="true">\(troubles)\
            <svg class="lines" viewBox="0 0 1000 160" preserveAspectRatio="none" width="100%" height="160">\
            \(grid)\(bounds)\(lines)</svg>\(times)\(states)</svg>
            """
    }

    private func share(_ time: Int64) -> Double {
        let length = Double(plot.time.upperBound) - Double(plot.time.lowerBound)
        return (Double(time) - Double(plot.time.lowerBound)) / max(1, length)
    }

    private var troubles: [Markup] {
        let shown = marks.filter { mark in
            mark.time.overlaps(plot.time) && mark.rule.map { rule in panel.series.contains { $0.isOf(rule) } } ?? true
        }
        return shown.map { mark in
            let (start, end) = (max(0, share(mark.time.lowerBound)), min(1, share(mark.time.upperBound)))
            return """
                <rect class="\(mark.kind.rawValue)" x="\(percent(start))" width="\(percent(max(0.003, end - start)))" \
                y="\(mark.place.y)" height="\(mark.place.height)"><title>\(mark.text)</title></rect>
                """
        }
    }

    /// A phone has no room for these.
    private static let minor: Markup = " class=\"minor\""

    private var times: [Markup] {
        TimeAxis(plot.time, offset: clock.offset).ticks(most: Self.ticks).enumerated().map { index, tick in
            let place = percent(tick.position)
            // The beginning of a day in the gateway's zone is another time elsewhere, but that of a month has no other name.
            let isMidnight = tick.text.utf8.count == 5 && !tick.text.contains(":") && plot.time.isShorterThanDays
            let form: Markup? =
                tick.text.contains(":") ? " data-as=\"tick\"" : isMidnight ? " data-as=\"midnight\"" : nil
            return """
                <line class="tick" x1="\(place)" x2="\(place)" y1="160" y2="165"/>\
                <text\(index % 2 == 0 ? "" : Self.minor) x="\(place)" y="179" text-anchor="middle"\(form) \
                data-time="\(UTCTime(milliseconds: tick.time).iso)">\(tick.text)</text>
                """
        }
    }

    private var states: [Markup] {
        panel.series.flatMap(\.states).map { state in
            let place = percent((Double(state.column) + 0.5) / Double(max(1, plot.columns)))
            return """
                <circle class="special" cx="\(place)" cy="5" r="3.5"><title>\(clock.local(state.time)): \
                \(Untrusted(state.word))</title></circle>
                """
        }
    }

    // MARK: The numbers

    /// For each series the seconds since the beginning and the number of each column: `60 20.5;120 20.6`, with `|` at a gap,
    /// and with the least and the greatest number where they differ.
    private var numbers: [Markup] {
        zip(panel.series, names).map { series, name in
            var all = Markup()
            for (point, texts) in zip(series.points, series.texts(series.points)) {
                let middle = point.first + (point.last - point.first) / 2
                let range: Markup? = point.least < point.greatest ? " \(texts.least) \(texts.greatest)" : nil
                let mark: Markup = all.isEmpty ? "" : point.isJoined ? ";" : "|"
                all += "\(mark)\((middle - plot.time.lowerBound) / 1000) \(texts.mean)\(range)"
            }
            return "<i hidden=\"\" class=\"points\" data-label=\"\(name)\" \(points(all))></i>"
        }
    }

    private func points(_ all: Markup) -> Markup { "data-points=\"\(all)\"" }
}

extension ClosedRange<Int64> {
    /// Whether ticks of an axis have times of day.
    fileprivate var isShorterThanDays: Bool { upperBound - lowerBound <= 3 * 86_400_000 }
}

extension PlottedSeries {
    /// Whether a rule is about it. A plot of one device has no other's series.
    fileprivate func isOf(_ rule: RuleStatus) -> Bool {
        (device == nil || id == rule.device)
            && rule.when?.isAbout(field, instance: key.source.instance) ?? true
    }

    /// The series without the name of its device.
    static func unnamed(_ series: PlottedSeries) -> PlottedSeries {
        var series = series
        series.device = nil
        return series
    }
}

/// The numbers of a plot as a table: what the plot shows, without a picture.
struct PlotTable {
    let plot: PlottedDevice
    var marks: [PlotMark] = []
    let clock: PageClock

    private enum Row {
        case numbers(column: Int, [Int: PlottedPoint])
        case mark(PlotMark)
    }

    private var rows: [(time: Int64, row: Row)] {
        var columns: [Int: [Int: PlottedPoint]] = [:]
        for (index, series) in plot.series.enumerated() {
            for point in series.points where point.count > 0 { columns[point.column, default: [:]][index] = point }
        }
        let numbers = columns.map { column, points in
            (points.values.map(\.first).min() ?? 0, Row.numbers(column: column, points))
        }
        let troubles = marks.filter { $0.time.overlaps(plot.time) }.map { ($0.time.lowerBound, Row.mark($0)) }
        return (numbers + troubles).sorted { $0.0 > $1.0 }
    }

    var html: Markup {
        let titles = plot.series.map { series -> Markup in
            let unit = series.shownUnit.isEmpty ? "" : ", \(series.shownUnit)"
            return
                "<th scope=\"col\" class=\"count\"\(PlotFigure.celsius(series.shownUnit))>\(series.label)\(unit)</th>"
        }
        let lines = rows.map { time, row -> Markup in
            switch row {
            case .numbers(_, let points):
                let cells = plot.series.enumerated().map { index, series in cell(points[index], of: series) }
                return "<tr><th scope=\"row\">\(clock.time(time, as: .moment))</th>\(cells)</tr>"
            case .mark(let mark):
                return """
                    <tr class="mark"><th scope="row">\(clock.time(time, as: .moment))</th>\
                    <td colspan="\(max(1, plot.series.count))">\(mark.text)</td></tr>
                    """
            }
        }
        return """
            <div class="wide panel" role="group" aria-label="Values" tabindex="0"><table class="values-table">
            <thead><tr><th scope="col">Time</th>\(titles)</tr></thead><tbody>\(Markup(joining: lines, "\n"))</tbody></table></div>
            """
    }

    private func cell(_ point: PlottedPoint?, of series: PlottedSeries) -> Markup {
        guard let point, let texts = series.texts([point]).first else { return "<td></td>" }
        let range: Markup? =
            point.least < point.greatest ? " <span class=\"unit\">\(texts.least) to \(texts.greatest)</span>" : nil
        return "<td class=\"count\"\(PlotFigure.celsius(series.shownUnit))>\(texts.mean)\(range)</td>"
    }
}
