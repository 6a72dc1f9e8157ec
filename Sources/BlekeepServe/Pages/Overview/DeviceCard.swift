import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords

struct DeviceCard {
    let status: DeviceStatus
    let report: StatusReport
    let values: NewestValues.Device?
    let trends: Trends
    let clock: PageClock

    /// The identifier of the card in the page.
    var identifier: String { Self.identifier(status.id) }

    static func identifier(_ device: DeviceID) -> String { "d-\(device)" }

    static func rowIdentifier(_ device: DeviceID) -> String { "r-\(device)" }

    var rowIdentifier: String { Self.rowIdentifier(status.id) }

    private static let maxRowValues = 4

    /// The device as a row of a dense table.
    var row: Markup {
        let main = (values?.main ?? []).prefix(Self.maxRowValues).map(\.shown)
        let shown = main.map { value -> Markup in
            let name: Markup? = value.isNamed(among: main) ? "<span class=\"unit\">\(value.name)</span> " : nil
            return """
                <span class="cell" title="\(value.name)"\(PlotFigure.celsius(value.unit))>\(name)\(value.value) \
                <span class="unit">\(value.unit)</span></span>
                """
        }
        let rest = (values?.values.count ?? 0) - main.count
        let more: Markup? = rest > 0 ? "<span class=\"unit\">\(rest) more</span>" : nil
        let low: Markup? = values?.isBatteryLow == true ? " low" : nil
        let battery: Markup? = values?.batteryText.map { "\($0)\(low)" }
        return """
            <tr class="\(report.isPolling ? mark.rawValue : "stale")" id="\(rowIdentifier)" data-state="\(mark.words)" \
            data-name="\(Untrusted(status.name))"><th scope="row"><a href="\(DevicePath.page(status.id))">\(Untrusted(status.name))</a></th>\
            <td>\(mark.badge("\(mark.words)"))</td><td class="cells">\(shown)\(more)</td>\
            <td class="count\(low)">\(battery)</td>\
            <td class="count">\(report.isPolling ? status.rssi.map { "\($0) dBm" } : nil)</td>\
            <td class="count">\((values?.time ?? status.lastValue).map { clock.time($0, as: .age) })</td></tr>
            """
    }

    private var mark: ShownState { report.state(of: status) }

    var html: Markup {
        """
        <article class="card \(report.isPolling ? mark.rawValue : "stale")" id="\(identifier)" data-state="\(mark.words)" \
        data-name="\(Untrusted(status.name))" aria-labelledby="\(identifier)-name">
        <header><h2 id="\(identifier)-name"><a href="\(DevicePath.page(status.id))">\(Untrusted(status.name))</a></h2>
        <p>\(mark.badge(state))</p></header>
        \(rules)
        \(trouble)
        \(values.map { ValueList(device: $0, trends: trends, clock: clock).html } ?? nothing)
        \(DeviceFactList(status: status, report: report, values: values, clock: clock).html)
        </article>
        """
    }

    private var rules: Markup? {
        let lines = report.alarms(of: status.id).map { alarm -> Markup in
            "<p class=\"cause\">\(Sentence(alarm.text))</p>"
        }
        return lines.isEmpty ? nil : "<div class=\"trouble\">\(lines)</div>"
    }

    private var state: Markup {
        guard mark != .new, !mark.isAtRest, mark != .good else { return "\(mark.words)" }
        let before = ShownState(status)
        let past: Markup? = mark == .stale && before != .good ? ", was \(before.words)" : nil
        return "\(mark.words) <span class=\"since\">\(clock.time(report.since(status), as: .span))\(past)</span>"
    }

    /// What went wrong, and what the user can do.
    private var trouble: Markup? {
        let why = WhyReport(
            status: status, entries: [], name: status.name, shortage: report.shortage, outage: report.outage,
            gateway: report.gateway, staleSince: report.staleSince, now: report.now, offset: nil)
        if mark.isAtRest { return "<div class=\"trouble\"><p class=\"advice\">\(Sentence(why.sentence))</p></div>" }
        guard mark != .good, let failure = status.failure else { return nil }
        // For a device that needs the user, both say the same. For a stale one, the page's head has the advice.
        let cause: Markup? = mark == .needsUser ? nil : "<p class=\"cause\">\(Sentence(failure.message))</p>"
        let advice: Markup? = mark == .stale ? nil : "<p class=\"advice\">\(why.advice)</p>"
        return "<div class=\"trouble\">\(cause)\(advice)</div>"
    }

    private var nothing: Markup {
        status.lastValue == nil ? "<p class=\"nothing\">No value yet</p>" : "<p class=\"nothing\">No values</p>"
    }
}

/// The paths of a device's pages.
enum DevicePath {
    static func page(_ device: DeviceID) -> String { "/device/\(device)" }
}
