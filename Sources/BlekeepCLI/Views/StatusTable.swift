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
        let newest = NewestValues(report.newest).devices
        table.rows = report.rankedDevices.map { device in
            let row = device.failures > 0 ? "\(device.failures) bad" : device.goods > 0 ? "\(device.goods) good" : ""
            let next =
                report.pid == nil
                ? nil : device.next.map { $0 > report.now ? AttemptMessages.span(from: report.now, to: $0) : "now" }
            return [
                .init(Untrusted(device.name).description, .bold),
                device.pause == nil
                    ? .init(device.state.rawValue, Self.paint(device.state)) : .init("paused", .warning),
                .init(device.state == .new || device.pause != nil ? "" : report.span(device.since)),
                .init(device.lastGood.map { "\(report.span($0)) ago" } ?? "never"), .init(row),
                .init(report.pid == nil ? "" : device.link.rawValue),
                .init(report.pid == nil ? "" : device.rssi.map { "\($0)" } ?? ""),
                .init(next ?? "–"), .init(report.intervalText(of: device)),
                .init(battery: newest[device.address]?.battery),
                .init(newest[device.address]?.text ?? "", cut: .items),
            ]
        }
        return table
    }

    private static func paint(_ state: StoredDeviceStatus.State) -> Paint {
        switch state {
        case .good: .good
        case .new: .plain
        case .trying: .warning
        case .lost, .needsYou: .bad
        }
    }
}

extension Table.Cell {
    /// - Parameter battery: the charge of a device's battery in percent.
    init(battery: Int?) {
        self.init(
            battery.map { "\($0) %" } ?? "", (battery ?? 100) < NewestValues.lowBattery ? .warning : .plain)
    }
}
