import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords

/// The overview: a card or a row for each device, first those that need the user.
struct OverviewPage {
    let model: OverviewModel
    var isTable = false

    /// A card or a row, with the identifier by which the script knows it.
    typealias Part = (identifier: String, html: Markup)

    /// The card or the row of each device.
    var devices: [Part] {
        guard case .status(let report) = model.state else { return [] }
        return report.rankedDevices.map { status in
            let card = DeviceCard(
                status: status, report: report, values: model.newest.devices[status.id], trends: model.trends,
                clock: model.clock)
            return isTable ? (card.rowIdentifier, card.row) : (card.identifier, card.html)
        }
    }

    /// The identifiers of the parts that a view shows, in its order.
    func identifiers(_ view: OverviewView) -> [String] {
        guard case .status(let report) = model.state else { return [] }
        return sorted(report.rankedDevices.filter { isShown($0, view, report) }, view.order)
            .map { isTable ? DeviceCard.rowIdentifier($0.id) : DeviceCard.identifier($0.id) }
    }

    private func isShown(_ device: DeviceStatus, _ view: OverviewView, _ report: StatusReport) -> Bool {
        guard view.state.map({ report.state(of: device) == $0 }) ?? true else { return false }
        let tags = model.tags[device.id]
        guard view.tag.map(tags.contains) ?? true else { return false }
        guard !view.text.isEmpty else { return true }
        let wanted = view.text.lowercased().split(separator: " ")
        let words = ([device.name, device.address.description, device.id.description] + tags).map { $0.lowercased() }
        return wanted.allSatisfy { part in words.contains { $0.contains(part) } }
    }

    /// Devices that lack what they are sorted by come last.
    private func sorted(_ devices: [DeviceStatus], _ order: OverviewView.Order) -> [DeviceStatus] {
        func key(_ device: DeviceStatus) -> Int64? {
            let newest = model.newest.devices[device.id]
            return switch order {
            case .state, .name: nil
            case .age: newest?.time
            case .battery: newest?.battery.map { Int64($0) }
            case .signal: device.rssi.map { Int64($0) }
            }
        }
        switch order {
        case .state: return devices
        case .name: return devices.sorted { NaturalOrder.precedes($0.name, $1.name) }
        case .age, .battery, .signal:
            return devices.enumerated().map { (key: key($0.element) ?? .max, place: $0.offset, device: $0.element) }
                .sorted { ($0.key, $0.place) < ($1.key, $1.place) }.map(\.device)
        }
    }

    // MARK: The summary

    /// With fewer devices, a search is no help.
    private static let minSearched = 6
    private static let maxTags = 40

    func summary(_ view: OverviewView) -> Markup {
        switch model.state {
        case .empty(let reason): empty(reason)
        case .status(let report): summary(report, view)
        }
    }

    private func summary(_ report: StatusReport, _ view: OverviewView) -> Markup {
        let all = report.devices.count
        let shown = report.devices.count { isShown($0, view, report) }
        let count: Markup =
            all == 0
            ? "<p class=\"nothing\">Add one with <code>blekeep add ADDRESS</code>.</p>" : "\(states(report, view))"
        let isFiltered = view.state != nil || view.tag != nil || !view.text.isEmpty
        let none: Markup? =
            all > 0 && shown == 0
            ? "<p class=\"nothing\">No device is like this. <a href=\"\(OverviewView().with { $0.isTable = view.isTable }.address())\">Show all</a></p>"
            : nil
        return """
            <section class="summary" id="summary" aria-labelledby="title">
            <h1 id="title">\(isFiltered ? "\(shown) of \(title(all))" : title(all))</h1>
            \(count)
            \(tags(report, view))
            \(HeadLines(report).html)
            \(all >= Self.minSearched || isFiltered ? search(view) : nil)
            \(none)
            </section>
            """
    }

    /// How many devices are in each state, each a link to them.
    private func states(_ report: StatusReport, _ view: OverviewView) -> Markup {
        let others = view.with { $0.state = nil }
        let devices = report.devices.filter { isShown($0, others, report) }
        let items = ShownState.allCases.compactMap { mark -> Markup? in
            let number = devices.count { report.state(of: $0) == mark }
            guard number > 0 || view.state == mark else { return nil }
            let isCurrent = view.state == mark
            return """
                <li><a href="\(view.with { $0.state = isCurrent ? nil : mark }.address())"\(isCurrent ? Self.current : nil)>\
                \(mark.badge("\(number) \(mark.words)"))</a></li>
                """
        }
        return "<ul class=\"counts\" aria-label=\"Devices by state\">\(items)</ul>"
    }

    private static let current: Markup = " aria-current=\"true\""

    private func tags(_ report: StatusReport, _ view: OverviewView) -> Markup? {
        let others = view.with { $0.tag = nil }
        let found = report.devices.filter { isShown($0, others, report) }.flatMap { model.tags[$0.id] }
        let counts = Dictionary(found.map { ($0, 1) }, uniquingKeysWith: +)
        let names = counts.keys.sorted(by: NaturalOrder.precedes).prefix(Self.maxTags)
        guard !names.isEmpty else { return nil }
        let items = names.map { name -> Markup in
            let isCurrent = view.tag == name
            return """
                <li><a href="\(view.with { $0.tag = isCurrent ? nil : name }.address())"\(isCurrent ? Self.current : nil)>\
                \(Untrusted(name)) <span class="unit">\(counts[name] ?? 0)</span></a></li>
                """
        }
        return "<ul class=\"counts tags\" aria-label=\"Devices by tag\">\(items)</ul>"
    }

    private func search(_ view: OverviewView) -> Markup {
        let orders = OverviewView.Order.allCases.map { order -> Markup in
            "<option value=\"\(order.rawValue)\"\(order == view.order ? " selected=\"\"" : nil)>\(order.name)</option>"
        }
        let kept = [
            ("tag", view.tag), ("state", view.state?.rawValue), ("view", view.isTable ? PageView.table : nil),
        ].compactMap { name, value in value.map { (name, $0) } }
        let hidden = kept.map { name, value -> Markup in "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\"/>"
        }
        return """
            <form class="filter" id="filter" role="search" action="/">
            <label><span class="unseen">Search</span><input type="search" name="q" placeholder="Search" \
            value="\(Untrusted(view.text))"/></label>
            <label>Sort by <select name="sort">\(orders)</select></label>\(hidden)<button>Show</button>
            <a href="\(view.with { $0.isTable.toggle() }.address())">\(view.isTable ? "Cards" : "Table")</a></form>
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

extension StatusHead.Line {
    /// The sentence, as a link if it is about a device.
    var linked: Markup {
        device.map { "<a href=\"\(DevicePath.page($0))\">\(Sentence(text))</a>" } ?? "\(Sentence(text))"
    }
}

/// What is wrong with the poller, the adapters and the sinks, as `blekeep status` says it.
struct HeadLines {
    private let report: StatusReport

    init(_ report: StatusReport) { self.report = report }

    var html: Markup? {
        let lines = StatusHead(report).lines.filter { $0.tone == .warning || $0.tone == .bad }
        guard !lines.isEmpty else { return nil }
        let items = lines.map { line -> Markup in "<li class=\"\(line.tone.rawValue)\">\(line.linked)</li>" }
        return "<ul class=\"alerts\" aria-label=\"What is wrong\">\(items)</ul>"
    }
}
