import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords

/// The gateways of a fleet, and which one reads each device. Pure.
struct FleetPage {
    let state: ServedFleet.State
    let clock: PageClock

    var content: PageContent {
        PageContent(parts: parts, live: Endpoint.fleet.fragment, edition: clock.now, isStale: isStale)
    }

    private var parts: [Markup] {
        switch state {
        case .none:
            [empty(title: "No fleet", text: ServedFleet.missing)]
        case .unknown(let failure):
            [empty(title: "Asking the fleet", text: failure ?? "nothing has answered yet; this page waits for it")]
        case .known(let view, let failure): [head(view, failure: failure), gateways(view), devices(view)]
        }
    }

    private var isStale: Bool {
        if case .known(_, failure: nil) = state { false } else { true }
    }

    private func empty(title: Markup, text: String) -> Markup {
        """
        <section class="summary empty" id="summary" aria-labelledby="title"><h1 id="title">\(title)</h1>
        <p>\(Sentence(text))</p></section>
        """
    }

    private func head(_ view: FleetView, failure: String?) -> Markup {
        let devices = view.devices
        let list = [FleetView.Device.State.read, .lost, .unread].compactMap { state -> Markup? in
            let count = devices.count { $0.state == state }
            return count == 0 ? nil : "<li>\(state.mark.badge("\(count) \(state.rawValue)"))</li>"
        }
        let notes = view.notes(now: clock.now, failure: failure).map { note -> Markup in
            // Not a `Sentence`: many begin with a name, which stays as it is.
            let text = Untrusted(note.text, limit: 600)
            return switch note.weight {
            case .plain: "<li class=\"stale\">\(text)</li>"
            case .warning: "<li class=\"warning\">\(text)</li>"
            case .bad: "<li class=\"bad\">\(text)</li>"
            }
        }
        let alerts: Markup? =
            notes.isEmpty
            ? nil : "<ul class=\"alerts\" aria-label=\"What is wrong, and what isn’t known\">\(notes)</ul>"
        return """
            <section class="summary" id="summary" aria-labelledby="title">
            <h1 id="title">Fleet \(Untrusted(view.fleet ?? ""))</h1>
            <ul class="counts" aria-label="Devices by state">\(list)</ul>\(alerts)</section>
            """
    }

    private func gateways(_ view: FleetView) -> Markup {
        let rows = view.gateways.map { gateway -> Markup in
            let state: Markup =
                switch gateway.isOnline {
                case true?: ShownState.good.badge("online")
                case false?: ShownState.lost.badge("offline")
                case nil: ShownState.stale.badge("unknown")
                }
            let problem = gateway.state?.hasBluetoothProblem
            let bluetooth: Markup? = problem.map {
                $0 ? ShownState.lost.badge("problem") : ShownState.good.badge("good")
            }
            return """
                <tr><th scope="row">\(Untrusted(gateway.name))</th><td>\(state)</td>\
                <td class="count">\(gateway.reads.map { "\($0)" } ?? "")</td>\
                <td class="count">\(gateway.state?.backlog.map { "\(max(0, $0))" } ?? "")</td>\
                <td>\(gateway.state?.powerMode?.rawValue ?? "")</td><td>\(bluetooth)</td>\
                <td>\(gateway.state?.version ?? "")</td></tr>
                """
        }
        return table(
            "gateways", title: "Gateways",
            head: """
                <th scope="col">Name</th><th scope="col">State</th><th scope="col" class="count">Reads</th>\
                <th scope="col" class="count">Waiting</th><th scope="col">Power</th><th scope="col">Bluetooth</th>\
                <th scope="col">Version</th>
                """, rows: rows)
    }

    private func devices(_ view: FleetView) -> Markup {
        let rows = view.devices.map { device -> Markup in
            let (report, state) = (device.reader?.report, device.state)
            let since = report?.since.map { clock.time(min($0, clock.now), as: .age) }
            return """
                <tr><th scope="row">\(Untrusted(device.name))</th><td>\(state.mark.badge("\(state.rawValue)"))</td>\
                <td>\(Untrusted(device.reader?.gateway ?? ""))</td><td>\(since)</td>\
                <td class="count">\(report?.rssi.map { "\($0) dBm" } ?? "")</td>\
                <td>\(Untrusted(device.others.map(\.words).joined(separator: ", "), limit: 300))</td></tr>
                """
        }
        return table(
            "devices", title: "Devices",
            head: """
                <th scope="col">Name</th><th scope="col">State</th><th scope="col">Gateway</th><th scope="col">Since</th>\
                <th scope="col" class="count">Signal</th><th scope="col">Others</th>
                """, rows: rows)
    }

    private func table(_ identifier: String, title: Markup, head: Markup, rows: [Markup]) -> Markup {
        """
        <section class="panel" id="\(identifier)" aria-labelledby="\(identifier)-title">
        <h2 id="\(identifier)-title">\(title)</h2>
        <div class="wide" role="group" aria-labelledby="\(identifier)-title" tabindex="0"><table>
        <thead><tr>\(head)</tr></thead><tbody>\(rows)</tbody></table></div></section>
        """
    }
}

extension FleetView.Device.State {
    fileprivate var mark: ShownState {
        switch self {
        case .read: .good
        case .lost: .lost
        case .unread: .needsUser
        }
    }
}
