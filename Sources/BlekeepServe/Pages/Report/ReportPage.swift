import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords

/// The report: when blekeep ran, the gaps and their causes, the machine's battery, and what was read of each device. Pure.
struct ReportPage {
    /// `nil` when blekeep never ran.
    let report: Report?
    let range: ReportRange
    let clock: PageClock
    /// Whether blekeep isn't polling.
    var isStale = false
    /// What was read of each device, all of the time in one column; `nil` when the browser has what is new enough.
    var readings: [DeviceID: PlottedDevice]? = [:]
    /// The newest ones of the time, the oldest first.
    var notices: [GivenNotice] = []
    var names: [DeviceID: String] = [:]
    /// What devices run on, as far as the user says it.
    var batteries: [DeviceID: Battery] = [:]

    private static let path = Endpoint.report.rawValue
    /// More rows would make no table.
    static let maxRows = 200

    var content: PageContent {
        let parts: [Markup?] =
            report.map { [head($0), line($0), values($0), devices($0), gaps($0), given] } ?? [nothing]
        return PageContent(
            parts: parts.compactMap(\.self), live: Endpoint.report.fragment + "?since=\(range.rawValue)",
            edition: clock.now, isStale: isStale)
    }

    private var navigation: Markup { RangeNavigation(current: range, path: Self.path, parameter: "since").html }

    private var nothing: Markup {
        """
        <section class="head" id="report" aria-labelledby="title"><h1 id="title">The last \(range.name)</h1>\(navigation)
        <p class="nothing">There is no report yet: blekeep writes the first one some minutes after <code>blekeep poll</code> \
        starts.</p></section>
        """
    }

    private func head(_ report: Report) -> Markup {
        let facts = ReportFacts(report, offset: clock.offset).all.filter { $0.name != "time" }.map { fact -> Markup in
            "<div><dt>\(Sentence.capitalized(fact.name))</dt><dd>\(fact.text)</dd></div>"
        }
        let soFar: Markup? =
            report.isRunning && !isStale
            ? "<p class=\"nothing\">blekeep runs, and adds newer readings with its next heartbeat.</p>" : nil
        return """
            <section class="head" id="report" aria-labelledby="title">
            <h1 id="title">The last \(range.name)</h1>
            \(navigation)
            <p class="address">\(clock.time(report.from, as: .moment)) to \(clock.time(report.to, as: .moment)): \
            \(DurationText.rounded(report.length))</p>
            <dl class="panel list">\(facts)</dl>\(soFar)
            </section>
            """
    }

    private func line(_ report: Report) -> Markup {
        let figure = ReportFigure(report: report, clock: clock)
        return """
            <section class="panel" id="line" aria-labelledby="line-title"><h2 id="line-title">Power and gaps</h2>
            \(figure.html)</section>
            """
    }

    /// The least, the mean and the greatest number of each sensor.
    private func values(_ report: Report) -> Markup? {
        guard let readings else { return "<section id=\"values\" data-same></section>" }
        let rows = report.devices.flatMap { device -> [Markup] in
            let all = readings[device.id]?.series.filter { $0.place.group != .diagnostic } ?? []
            return all.enumerated().compactMap { index, series -> Markup? in
                guard let texts = series.texts(Array(series.points.prefix(1))).first else { return nil }
                let mark = PlotFigure.celsius(series.shownUnit)
                let unit: Markup = series.shownUnit.isEmpty ? "" : ", \(series.shownUnit)"
                let shown = mark == nil ? unit : "<span data-c>\(unit)</span>"
                let cells = [texts.least, texts.mean, texts.greatest].map { text -> Markup in
                    "<td class=\"count\"\(mark)>\(text)</td>"
                }
                let name: Markup =
                    index > 0
                    ? ""
                    : """
                    <th scope="rowgroup" rowspan="\(all.count)"><a href="\(DevicePath.page(device.id))">\(Untrusted(device.device))</a></th>
                    """
                return "<tr>\(name)<td>\(series.label)\(shown)</td>\(cells)</tr>"
            }
        }
        guard !rows.isEmpty else { return nil }
        let titles = ["Min", "Mean", "Max"].map { title -> Markup in "<th scope=\"col\" class=\"count\">\(title)</th>" }
        let more: Markup? =
            rows.count > Self.maxRows ? "<p class=\"more\">\(rows.count - Self.maxRows) more values</p>" : nil
        return """
            <section class="panel" id="values" aria-labelledby="values-title" data-every="60"><h2 id="values-title">Readings</h2>
            <div class="wide" role="group" aria-labelledby="values-title" tabindex="0"><table>
            <thead><tr><th scope="col">Device</th><th scope="col">Value</th>\(titles)</tr></thead>
            <tbody>\(Array(rows.prefix(Self.maxRows)))</tbody></table></div>\(more)</section>
            """
    }

    private func devices(_ report: Report) -> Markup {
        let rows = report.devices.prefix(Self.maxRows).map { device -> Markup in
            let cost = SensorCost(device, of: batteries[device.id], in: report)?.texts
            let cells = [
                "\(device.values)", "\(device.good)", "\(device.failed)", "\(device.missed)",
                cost?.connectsPerDay ?? "–", cost?.perDay ?? "–", cost?.perYear ?? "–",
            ].map { text -> Markup in "<td class=\"count\">\(text)</td>" }
            return """
                <tr><th scope="row"><a href="\(DevicePath.page(device.id))">\(Untrusted(device.device))</a></th>\(cells)</tr>
                """
        }
        let titles = ["Values", "Ticks", "Failed", "Missed", "Connects a day", "On air a day", "Battery a year"].map {
            title -> Markup in "<th scope=\"col\" class=\"count\">\(title)</th>"
        }
        let table: Markup =
            rows.isEmpty
            ? "<p class=\"nothing\">Nothing was read.</p>"
            : """
            <div class="wide" role="group" aria-labelledby="devices-title" tabindex="0"><table>
            <thead><tr><th scope="col">Device</th>\(titles)</tr></thead><tbody>\(rows)</tbody></table></div>
            """
        return """
            <section class="panel" id="devices" aria-labelledby="devices-title"><h2 id="devices-title">Work</h2>
            \(table)</section>
            """
    }

    private func gaps(_ report: Report) -> Markup? {
        guard !report.gaps.isEmpty else { return nil }
        let rows = report.gaps.suffix(Self.maxRows).reversed().map { gap -> Markup in
            """
            <tr><td>\(clock.time(gap.from, as: .moment))</td>\
            <td class="count">\(gap.length.map(DurationText.rounded) ?? "?")</td><td>\(gap.cause.words)</td></tr>
            """
        }
        return """
            <section class="panel" id="gaps" aria-labelledby="gaps-title"><h2 id="gaps-title">Gaps</h2>
            <table class="narrow"><thead><tr><th scope="col">From</th><th scope="col" class="count">Length</th>
            <th scope="col">Cause</th></tr></thead><tbody>\(rows)</tbody></table></section>
            """
    }

    private var given: Markup? {
        guard !notices.isEmpty else { return nil }
        let rows = notices.reversed().map { notice -> Markup in
            let device = notice.device.map { device -> Markup in
                "<a href=\"\(DevicePath.page(device))\">\(Untrusted(names[device] ?? device.description))</a>"
            }
            return """
                <tr><td>\(clock.time(notice.time, as: .moment))</td><td>\(device ?? "–")</td>\
                <td>\(Untrusted(notice.event.rawValue))</td>\
                <td>\(notice.rule.map { "\(Untrusted($0)): " } ?? "")\(notice.words)</td></tr>
                """
        }
        return """
            <section class="panel" id="notices" aria-labelledby="notices-title"><h2 id="notices-title">Notices</h2>
            <table class="events"><thead><tr><th scope="col">Time</th><th scope="col">Device</th><th scope="col">Notice</th>
            <th scope="col">Message</th></tr></thead><tbody>\(rows)</tbody></table></section>
            """
    }
}

/// A choice of times, each a link.
struct RangeNavigation<Choice: RangeChoice & Equatable> {
    let current: Choice
    let path: String
    let parameter: String

    var html: Markup {
        let links = Choice.allCases.map { choice -> Markup in
            let mark: Markup? = choice == current ? " aria-current=\"page\"" : nil
            return "<li><a href=\"\(path)?\(parameter)=\(choice.rawValue)\"\(mark)>\(choice.name)</a></li>"
        }
        return "<nav class=\"ranges\" aria-label=\"Time\"><ul>\(links)</ul></nav>"
    }
}
