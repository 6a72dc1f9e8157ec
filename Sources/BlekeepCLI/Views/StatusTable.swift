import Blekeep
import BlekeepHistory
import BlekeepOutputs

/// The table of `blekeep status`: one row for each device, the worst first.
struct StatusTable {
    let report: StatusReport

    var table: Table {
        var table = Table(columns: [
            .init(title: "DEVICE", narrowest: 8), .init(title: "STATE"),
            .init(title: "FOR", isNumeric: true, expendability: 1),
            .init(title: "LAST VALUE", isNumeric: true), .init(title: "IN A ROW", isNumeric: true, expendability: 6),
            .init(title: "LINK", expendability: 5), .init(title: "RSSI", isNumeric: true, expendability: 7),
            .init(title: "NEXT", isNumeric: true, expendability: 2), .init(title: "INTERVAL", expendability: 8),
            .init(title: "BATTERY", isNumeric: true, expendability: 4),
            .init(title: "VALUES", narrowest: 24, expendability: 3),
        ])
        let newest = NewestValues(report.newest).devices
        table.rows = report.devices.sorted(by: Self.precedes).map { device in
            let row = device.failures > 0 ? "\(device.failures) bad" : device.goods > 0 ? "\(device.goods) good" : ""
            let next =
                report.pid == nil
                ? nil : device.next.map { $0 > report.now ? AttemptMessages.span(from: report.now, to: $0) : "now" }
            let interval = device.interval.map(DurationText.text) ?? (device.intervalReason.isEmpty ? "" : "paused")
            let reason =
                device.pause.map { "by a user\(end(of: $0))" }
                ?? (device.intervalReason == "as configured" ? "" : Untrusted(device.intervalReason).description)
            return [
                .init(Untrusted(device.name).description, .bold),
                device.pause == nil
                    ? .init(device.state.rawValue, Self.paint(device.state)) : .init("paused", .warning),
                .init(device.state == .new || device.pause != nil ? "" : report.span(device.since)),
                .init(device.lastGood.map { "\(report.span($0)) ago" } ?? "never"), .init(row),
                .init(report.pid == nil ? "" : device.link.rawValue),
                .init(report.pid == nil ? "" : device.rssi.map { "\($0)" } ?? ""),
                .init(next ?? "–"), .init(reason.isEmpty ? interval : "\(interval): \(reason)"),
                NewestValues.cell(battery: newest[device.address]?.battery),
                .init(newest[device.address]?.text ?? "", cut: .words),
            ]
        }
        return table
    }

    /// First the devices that need the user.
    private static func precedes(_ left: StoredDeviceStatus, _ right: StoredDeviceStatus) -> Bool {
        func rank(_ device: StoredDeviceStatus) -> Int {
            if device.pause != nil { return 4 }
            return switch device.state {
            case .needsYou: 0
            case .lost: 1
            case .trying: 2
            case .new: 3
            case .good: 5
            }
        }
        if rank(left) != rank(right) { return rank(left) < rank(right) }
        return NaturalOrder.precedes(left.name, right.name)
    }

    private func end(of pause: UserPause) -> String {
        guard case .until(let end) = pause else { return "" }
        return end > report.now ? ", for \(AttemptMessages.span(from: report.now, to: end)) more" : ", until now"
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
