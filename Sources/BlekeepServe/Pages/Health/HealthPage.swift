import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords

struct HealthModel: Sendable {
    /// What is known of the history's file.
    struct File: Sendable {
        var path: String
        /// In bytes; `nil` when there is none.
        var size: Int64?
        /// The most bytes that it may have.
        var bound: Int64
        /// The bytes that the disk still has; `nil` when nobody knows.
        var free: Int64?
        /// The time of the oldest reading.
        var oldest: Int64?
        /// The number of the newest reading.
        var newest: Int64?
    }

    var clock: PageClock
    /// `nil` when there is no status; then `reason` says why.
    var report: StatusReport?
    var reason = ""
    var file: File
    /// The readings that waited for sinks over a day; `nil` when the browser has a plot that is new enough.
    var backlogs: PlottedDevice?
}

/// The adapters, bluetoothd, the sinks, the history and the version. Pure.
struct HealthPage {
    let model: HealthModel

    var content: PageContent {
        PageContent(
            parts: [head, failing, machine, sinks, backlogs, history].compactMap(\.self),
            live: Endpoint.health.fragment, edition: model.clock.now,
            isStale: model.report?.isPolling != true, hasPlots: true)
    }

    // MARK: The poller

    private var head: Markup {
        guard let report = model.report else {
            return """
                <section class="head" id="poller" aria-labelledby="title"><h1 id="title">No status yet</h1>
                <p>\(Sentence(model.reason))</p></section>
                """
        }
        let lines = StatusHead(report).lines.map { line -> Markup in
            line.tone == .plain ? "<li>\(line.linked)</li>" : "<li class=\"\(line.tone.rawValue)\">\(line.linked)</li>"
        }
        let mark: ShownState = report.trouble == nil ? .good : .lost
        return """
            <section class="head" id="poller" aria-labelledby="title" data-name="Health" data-state="\(word(report))">
            <h1 id="title">\(mark.badge("\(word(report))"))</h1>
            <ul class="alerts lines" aria-label="Poller">\(lines)</ul></section>
            """
    }

    private func word(_ report: StatusReport) -> String {
        switch report.trouble {
        case nil: "Everything works"
        case .notPolling: "blekeep isn’t polling"
        case .noBluez: "bluetoothd is missing"
        case .noAdapter: "No adapter is on"
        case .someFail: "Some devices fail"
        case .allFail: "All devices fail"
        case .allNeedUser: "All devices need you"
        case .ruleFires: "A rule fires"
        case .someSinksFail: "A sink fails"
        }
    }

    private static let maxFailing = 50

    /// What fails, by name, and where to read more about it.
    private var failing: Markup? {
        guard let report = model.report, report.isPolling else { return nil }
        let devices = report.rankedDevices.filter { ![.good, .new, .paused, .standby].contains(report.state(of: $0)) }
        let rows = devices.prefix(Self.maxFailing).map { device -> Markup in
            let mark = report.state(of: device)
            let causes = report.alarms(of: device.id).map(\.text) + [device.failure?.message].compactMap(\.self)
            let cause = causes.map { " \(Sentence($0))" as Markup }
            return """
                <li><a href="\(DevicePath.page(device.id))">\(Untrusted(device.name))</a> \
                \(mark.badge("\(mark.words) \(model.clock.time(report.since(device), as: .span))"))\(cause)</li>
                """
        }
        let sinks = report.sinks.filter { $0.failure != nil }.map { sink -> Markup in
            "<li><a href=\"#sinks\">\(Untrusted(sink.name))</a> \(ShownState.lost.badge("sink fails"))</li>"
        }
        guard !(rows + sinks).isEmpty else { return nil }
        let more: Markup? =
            devices.count > rows.count ? "<li><a href=\"/\">\(devices.count - rows.count) more</a></li>" : nil
        return section("failing", title: "What fails", content: "<ul class=\"failing\">\(rows)\(sinks)\(more)</ul>")
    }

    // MARK: The machine

    /// Without a poller, the text is as old as its last write.
    private func badge(_ state: ShownState, text: Markup) -> Markup {
        guard let since = model.report?.staleSince else { return state.badge(text) }
        return ShownState.stale.badge("\(text) \(model.clock.time(since, as: .age))")
    }

    private func fact(_ name: Markup, text: Markup) -> Markup { "<div><dt>\(name)</dt><dd>\(text)</dd></div>" }

    private var machine: Markup {
        guard let report = model.report else {
            return section("machine", title: "Machine", content: "<dl class=\"list\">\(version)</dl>")
        }
        let adapters = report.poller.adapters.map { adapter -> Markup in
            let isWell = adapter.isOn && adapter.trouble == nil
            let text = Advice.message(adapter, now: report.now)
            let mark: ShownState = isWell ? .good : adapter.trouble?.isGrave == false ? .trying : .lost
            return fact("Adapter \(Untrusted(adapter.name))", text: badge(mark, text: "\(Untrusted(text, limit: 300))"))
        }
        let outage = report.poller.outage
        let bluetoothd =
            outage.map { badge(.lost, text: "\(Untrusted(Advice.message($0), limit: 300))") }
            ?? badge(.good, text: "runs")
        let none: Markup? = adapters.isEmpty ? fact("Adapter", text: badge(.lost, text: "none")) : nil
        return section(
            "machine", title: "Machine",
            content: """
                <dl class="list">\(adapters)\(none)\(fact("bluetoothd", text: bluetoothd))\
                \(fact("Power", text: "\(Untrusted(report.powerText, limit: 100))"))\(version)</dl>
                """)
    }

    private var version: Markup { fact("Version", text: "blekeep \(BlekeepVersion.text)") }

    private func section(_ identifier: String, title: Markup, content: Markup) -> Markup {
        """
        <section class="panel" id="\(identifier)" aria-labelledby="\(identifier)-title">
        <h2 id="\(identifier)-title">\(title)</h2>\(content)</section>
        """
    }

    // MARK: Sinks

    private var sinks: Markup? {
        guard let report = model.report else { return nil }
        guard !report.sinks.isEmpty else {
            return section("sinks", title: "Sinks", content: "<p class=\"nothing\">None are configured.</p>")
        }
        let rows = report.sinks.map { sink -> Markup in
            let next = sink.nextTry.flatMap { $0 > report.now ? $0 : nil }
            let retry: Markup? = next.map { "; next try \(model.clock.time($0, as: .wait))" }
            let failure: Markup? = sink.failure.map { "\(Untrusted($0, limit: 300))\(retry)" }
            let state = failure.map { badge(.lost, text: $0) } ?? badge(.good, text: "good")
            return """
                <tr><th scope="row">\(Untrusted(sink.name))</th><td>\(state)</td>\
                <td class="count">\(max(0, sink.backlog))</td><td class="count">\(max(0, sink.dropped))</td></tr>
                """
        }
        return section(
            "sinks", title: "Sinks",
            content: """
                <div class="wide" role="group" aria-labelledby="sinks-title" tabindex="0"><table>
                <thead><tr><th scope="col">Name</th><th scope="col">State</th><th scope="col" class="count">Waiting</th>
                <th scope="col" class="count">Lost</th></tr></thead><tbody>\(rows)</tbody></table></div>
                """)
    }

    /// Of a day: each of a quarter of an hour.
    static let columns = 96

    /// The readings that waited for each sink, as lines and as a table.
    private var backlogs: Markup? {
        guard let report = model.report, !report.sinks.isEmpty else { return nil }
        guard let plot = model.backlogs else { return "<section id=\"backlog\" data-same></section>" }
        let title: Markup = "<h2 id=\"backlog-title\">Waiting for a sink, the last 24 hours</h2>"
        let start: Markup =
            "<section class=\"course\" id=\"backlog\" aria-labelledby=\"backlog-title\" data-every=\"300\">"
        guard !plot.series.isEmpty else {
            return "\(start)\(title)<p class=\"nothing\">No reading waited longer than a heartbeat.</p></section>"
        }
        let figures = plot.series.enumerated().map { index, series -> Markup in
            var panel = PlotPanel(unit: series.shownUnit, series: [series])
            panel.hasZero = true
            return PlotFigure(plot: plot, panel: panel, clock: model.clock, identifier: "backlog-\(index)").html
        }
        return """
            \(start)\(title)<div class="plots">\(figures)</div>
            <details id="backlog-table"><summary>As a table</summary>\(PlotTable(plot: plot, clock: model.clock).html)</details>
            </section>
            """
    }

    // MARK: The history

    private var history: Markup {
        let file = model.file
        let size = file.size.map { size -> Markup in
            let text = "\(HistorySize.text(size)) of at most \(HistorySize.text(file.bound))"
            return fact(
                "Size",
                text: """
                    \(text) <svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">\
                    <rect class="rest" width="100" height="8"/><rect class="part" width="\(share(size))" height="8"/></svg>
                    """)
        }
        let oldest = file.oldest.map { fact("Oldest reading", text: model.clock.time($0, as: .moment)) }
        let newest = file.newest.map { fact("Readings so far", text: "\($0)") }
        let forecast = HistoryForecast(file, now: model.clock.now).text.map { fact("Forecast", text: "\($0)") }
        let free = file.free.map { free -> Markup in
            let isShort = free < max(0, file.bound - (file.size ?? 0))
            let mark = isShort ? ShownState.trying.badge : { $0 }
            return fact(
                "Free on the disk",
                text: mark("\(HistorySize.text(free))\(isShort ? "; less than the history may need" : "")"))
        }
        let aside = (model.report?.copies ?? []).map { fact("Put aside", text: "\(CopyMessages.text($0))") }
        return section(
            "history", title: "History",
            content:
                "<dl class=\"list\">\(fact("File", text: "\(Untrusted.whole(file.path))"))\(size)\(forecast)\(free)\(oldest)\(newest)\(aside)</dl>"
        )
    }

    private func share(_ size: Int64) -> String {
        SVGMarks.number(100 * min(1, Double(size) / Double(max(1, model.file.bound))))
    }
}

/// When the history will have its largest size, at the pace so far. Pure.
struct HistoryForecast {
    let text: String?

    private static let day: Int64 = 86_400_000
    /// A shorter time says nothing about the pace.
    private static let shortest = day / 4

    init(_ file: HealthModel.File, now: Int64) {
        guard let size = file.size, let oldest = file.oldest, now - oldest >= Self.shortest, size > 0 else {
            text = nil
            return
        }
        let days = Double(now - oldest) / Double(Self.day)
        let perDay = Double(size) / days
        // Nearly full files have had readings removed, so that only the kept time counts.
        guard Double(size) < 0.95 * Double(file.bound) else {
            text = "full; it keeps about \(Self.days(days))"
            return
        }
        let room = Double(max(0, min(file.bound - size, file.free ?? .max)))
        let what = (file.free ?? .max) < file.bound - size ? "the disk is full" : "the oldest readings make room"
        text = "grows by about \(HistorySize.text(Int64(perDay))) a day; in about \(Self.days(room / perDay)) \(what)"
    }

    private static func days(_ days: Double) -> String {
        let whole = Int(max(0, min(1e6, days)).rounded())
        return switch whole {
        case 0: "a day"
        case 1...90: "\(whole) day\(whole == 1 ? "" : "s")"
        case 91...730: "\(whole / 30) months"
        default: "\(whole / 365) years"
        }
    }
}
