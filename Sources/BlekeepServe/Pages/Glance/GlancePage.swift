import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords

/// The overview: a card for each device, first those that need the user.
struct GlancePage {
    let model: GlanceModel

    /// The parts of the page, each with the identifier by which the script knows it. Pure.
    var parts: [(identifier: String, html: Markup)] {
        switch model.state {
        case .empty(let reason): [("summary", empty(reason))]
        case .status(let report): [("summary", summary(report))] + cards(report)
        }
    }

    private func cards(_ report: StatusReport) -> [(identifier: String, html: Markup)] {
        report.rankedDevices.map { status in
            let card = DeviceCard(
                status: status, report: report, values: model.newest.devices[status.id], trends: model.trends,
                clock: model.clock)
            return (card.identifier, card.html)
        }
    }

    private func summary(_ report: StatusReport) -> Markup {
        let devices = report.devices.count
        let counts = ShownState.allCases.compactMap { mark -> Markup? in
            let number = report.devices.count { report.state(of: $0) == mark }
            return number == 0 ? nil : "<li>\(mark.badge("\(number) \(mark.words)"))</li>"
        }
        let list: Markup =
            devices == 0
            ? "<p class=\"nothing\">Add one with <code>blekeep add ADDRESS</code>.</p>"
            : "<ul class=\"counts\" aria-label=\"Devices by state\">\(counts)</ul>"
        return """
            <section class="summary" id="summary" aria-labelledby="title">
            <h1 id="title">\(title(devices))</h1>
            \(list)
            \(HeadLines(report).html)
            </section>
            """
    }

    private func title(_ devices: Int) -> String {
        switch devices {
        case 0: "No devices"
        case 1: "One device"
        default: "\(devices) devices"
        }
    }

    private func empty(_ reason: String) -> Markup {
        """
        <section class="summary empty" id="summary" aria-labelledby="title">
        <h1 id="title">Nothing to show yet</h1>
        <p>\(Sentence(reason))</p>
        <p>To try it without hardware: <code>blekeep poll --simulate</code>. This page shows readings as soon as they come.</p>
        </section>
        """
    }
}

/// What is wrong with the poller, the adapters and the sinks, as `blekeep status` says it.
struct HeadLines {
    private let report: StatusReport

    init(_ report: StatusReport) { self.report = report }

    var html: Markup? {
        let lines = StatusHead(report).lines.filter { $0.tone == .warning || $0.tone == .bad }
        guard !lines.isEmpty else { return nil }
        let items = lines.map { line -> Markup in
            "<li class=\"\(line.tone.rawValue)\">\(Sentence(line.text))</li>"
        }
        return "<ul class=\"alerts\" aria-label=\"What is wrong\">\(items)</ul>"
    }
}
