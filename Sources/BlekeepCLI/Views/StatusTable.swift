import Blekeep
import BlekeepHistory
import BlekeepOutputs

/// The table of `blekeep status`: one row for each device, the worst first.
struct StatusTable {
    let report: StatusReport

    var table: Table {
        var table = Table(columns: [
            .init(title: "DEVICE", narrowest: 14), .init(title: "STATE"),
            .init(title: "FOR", isNumeric: true, expendability: 1),
            .init(title: "LAST VALUE", isNumeric: true), .init(title: "IN A ROW", isNumeric: true, expendability: 6),
            .init(title: "LINK", expendability: 5), .init(title: "RSSI", isNumeric: true, expendability: 7),
            .init(title: "NEXT", isNumeric: true, expendability: 2), .init(title: "INTERVAL", expendability: 8),
            .init(title: "BATTERY", isNumeric: true, expendability: 4),
            .init(title: "VALUES", narrowest: 24, expendability: 3),
        ])
        table.rows = report.rankedDevices.map { device in
            let (good, bad) = (device.condition.goodInARow, device.condition.failedInARow)
            let row = bad > 0 ? "\(bad) bad" : good > 0 ? "\(good) good" : ""
            let next = device.next.map { $0 > report.now ? AttemptMessages.span(from: report.now, to: $0) : "now" }
            let state = report.state(of: device)
            let values = report.newest.devices[device.id]
            let cells: [Table.Cell] = [
                .init(Untrusted(device.name).description, .bold),
                .init(report.stateText(of: device), Self.paint(state)),
                .init(state == .new || state.isAtRest ? "" : report.span(report.since(device))),
                .init(device.lastValue.map { "\(report.span($0)) ago" } ?? "never"), .init(row),
                .init(report.isPolling ? device.link.rawValue : ""),
                .init(report.isPolling ? device.rssi.map { "\($0)" } ?? "" : ""),
                .init(report.isPolling ? next ?? "–" : "–"), .init(report.intervalText(of: device)),
                .init(batteryOf: values), .init(values?.text ?? "", cut: .items),
            ]
            return report.isPolling ? cells : cells.map(\.faint)
        }
        return table
    }

    private static func paint(_ state: ShownState) -> Paint {
        switch state {
        case .good: .good
        case .new, .standby: .plain
        case .trying, .paused: .warning
        case .alarm, .lost, .needsUser: .bad
        case .stale: .faint
        }
    }
}

extension Table.Cell {
    /// The charge or the voltage of the device's battery.
    init(batteryOf values: NewestValues.Device?) {
        self.init(values?.batteryText ?? "", values?.isBatteryLow == true ? .warning : .plain)
    }

    /// The cell as it shows what isn't known any more.
    var faint: Table.Cell { .init(text, .faint, cut: cut) }
}
