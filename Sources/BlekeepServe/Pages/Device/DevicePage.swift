import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords

/// A device: its values, their course, the last attempts, and what is read of it. Pure.
struct DevicePage {
    let model: DeviceModel

    /// More characteristics would make no table.
    static let maxPoints = 100

    var content: PageContent {
        let base = DevicePath.page(model.id)
        return PageContent(
            parts: [head, plots, attempts, points].compactMap(\.self),
            live: String(path: EndpointPath.fragment + base, model.view.pairs), device: model.address.description,
            edition: model.clock.now, isStale: model.isStale, hasPlots: true)
    }

    // MARK: Now

    private var head: Markup {
        // A device that blekeep doesn't poll may have values, and no status.
        let status =
            model.status
            ?? model.exclusion.map { _ in
                DeviceStatus(id: model.id, address: model.address, name: model.name, since: model.clock.now)
            }
        let mark = status.map { model.exclusion == nil ? model.report?.state(of: $0) ?? ShownState($0) : .stale }
        let why = status.map { status in
            WhyReport(
                status: status, entries: [], name: model.name, shortage: model.report?.shortage,
                outage: model.report?.outage, gateway: model.report?.gateway, exclusion: model.exclusion,
                alarms: model.report?.alarms(of: status.id) ?? [],
                staleSince: model.report.map(\.staleSince) ?? status.lastEnd, now: model.clock.now, offset: nil)
        }
        let sentence: Markup? = mark.flatMap { mark in why.map { "<p>\(mark.badge("\($0.sentence)"))</p>" } }
        let facts = model.report.flatMap { report in
            status.map {
                DeviceFactList(
                    status: $0, report: report, exclusion: model.exclusion, values: model.newest, clock: model.clock
                ).html
            }
        }
        let values = model.newest.map {
            ValueList(device: $0, trends: Trends(), clock: model.clock, canOpen: true).html
        }
        return """
            <section class="head" id="now" aria-labelledby="title" data-name="\(Untrusted(model.name))" \
            data-state="\(model.exclusion?.state ?? mark?.words ?? "")">
            <h1 id="title">\(Untrusted(model.name))</h1>
            <p class="address">\(model.address.description)</p>
            \(sentence)
            \(trouble(mark, why: why))
            <div class="panel now\(model.isStale ? " stale" : "")">\(values ?? "<p class=\"nothing\">No values yet</p>")\(facts)</div>
            </section>
            """
    }

    private func trouble(_ mark: ShownState?, why: WhyReport?) -> Markup? {
        guard let mark, let why, mark != .good, !mark.isAtRest else { return nil }
        let failure = model.exclusion == nil ? model.status?.failure : nil
        let cause: Markup? = failure.map { "<p class=\"cause\">\(Sentence($0.message))</p>" }
        return "<div class=\"trouble\">\(mark == .needsUser ? nil : cause)<p class=\"advice\">\(why.outlook)</p></div>"
    }

    // MARK: The course

    private var plots: Markup {
        guard let plot = model.plot else { return "<section id=\"course\" data-same></section>" }
        let (path, pairs) = (DevicePath.page(model.id), model.view.time.pairs)
        return PlotCourse(
            plot: plot, panels: plot.series.map(PlotPanel.init),
            marks: model.marks, rules: model.rules, view: model.view, span: model.span, path: path, clock: model.clock
        ).html(
            after: """
                <p class="files"><a href="\(String(path: "/compare", [("device", model.id.description)] + pairs))">Compare with \
                other devices</a>. Download what is shown as <a href="\(String(path: "\(path)/readings.csv", pairs))" \
                download="">CSV</a> or <a href="\(String(path: "\(path)/readings.json", pairs))" download="">JSON</a></p>
                """)
    }

    // MARK: What happened

    private var attempts: Markup {
        let rows = model.attempts.reversed().map { entry -> Markup in
            let times: Markup =
                entry.count > 1 && entry.last > entry.first
                ? "\(model.clock.time(entry.first, as: .moment)) to \(model.clock.time(entry.last, as: .moment))"
                : model.clock.time(entry.first, as: .moment)
            let style: Markup = entry.failure == nil ? "well" : "failed"
            return "<tr class=\"\(style)\"><td>\(times)</td><td>\(AttemptMessages.sentence(entry))</td></tr>"
        }
        let table: Markup =
            rows.isEmpty
            ? "<p class=\"nothing\">No attempts yet.</p>"
            : """
            <table class="events"><thead><tr><th scope="col">Time</th><th scope="col">What happened</th></tr></thead>
            <tbody>\(rows)</tbody></table>
            """
        return """
            <section class="panel" id="attempts" aria-labelledby="attempts-title"><h2 id="attempts-title">Last attempts</h2>
            \(table)</section>
            """
    }

    private var points: Markup {
        let rows = model.points.prefix(Self.maxPoints).map { point -> Markup in
            let read = point.time.map { model.clock.time($0, as: .age) } ?? "never"
            let result: Markup? = point.failure.map {
                " <span class=\"failed\">failed: \(Untrusted($0, limit: 200))</span>"
            }
            let number = point.source.instance == 1 ? "" : "#\(point.source.instance)"
            return """
                <tr><th scope="row">\(Untrusted(point.name).description + number)</th>
                <td>\(point.source.characteristic.map { "\($0)" } ?? "advertised")</td>
                <td>\(service(point.source.service))</td><td>\(read)\(result)</td></tr>
                """
        }
        let table: Markup =
            rows.isEmpty
            ? "<p class=\"nothing\">Nothing was read yet.</p>"
            : """
            <div class="wide" role="group" aria-labelledby="points-title" tabindex="0"><table>
            <thead><tr><th scope="col">Name</th><th scope="col">Characteristic</th><th scope="col">Service</th>
            <th scope="col">Read</th></tr></thead><tbody>\(rows)</tbody></table></div>
            """
        return """
            <section class="panel" id="points" aria-labelledby="points-title"><h2 id="points-title">What is read</h2>
            \(table)</section>
            """
    }

    private func service(_ service: BluetoothUUID?) -> String {
        service.map { AssignedNumbers.serviceName($0) ?? "\($0)" } ?? "–"
    }
}
