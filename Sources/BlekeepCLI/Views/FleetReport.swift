import Blekeep
import BlekeepOutputs

/// What `blekeep fleet status` shows: a table of gateways, one of devices, and what is wrong.
struct FleetReport {
    let view: FleetView
    let now: Int64
    /// Why there is no connection; `nil` with one.
    let failure: String?
    private let gateways: [FleetView.Gateway]
    private let devices: [FleetView.Device]

    init(_ view: FleetView, now: Int64, failure: String? = nil) {
        (self.view, self.now, self.failure) = (view, now, failure)
        (gateways, devices) = (view.gateways, view.devices)
    }

    // MARK: Text

    func lines(width: Int?, on terminal: Terminal) -> [String] {
        let notes = notes(width: width, on: terminal)
        return gatewayTable.lines(width: width, on: terminal) + [""] + deviceTable.lines(width: width, on: terminal)
            + notes
    }

    /// The report for a window. When rows run out, only the first gateways and the first notes are beside the devices.
    func picture(columns: Int, rows: Int, on terminal: Terminal) -> Picture {
        let own = gatewayTable.lines(width: columns, on: terminal)
        var picture = Picture(
            head: own + [""], table: deviceTable.lines(width: columns, on: terminal),
            foot: notes(width: columns, on: terminal))
        guard !picture.fits(rows) else { return picture }
        picture.foot = Array(picture.foot.prefix(1 + max(1, rows / 6)))
        let hidden = own.count - max(2, rows / 3)
        if hidden > 1 {
            let rest = "… and \(hidden) more gateways"
            picture.head = own.dropLast(hidden) + [rest] + picture.head.dropFirst(own.count)
        }
        return picture
    }

    private func notes(width: Int?, on terminal: Terminal) -> [String] {
        let lines = notes.map { paint, text in
            terminal.paint(width.map { DisplayWidth.cut(sentence: text, to: $0) } ?? text, as: paint)
        }
        return lines.isEmpty ? [] : [""] + lines
    }

    private var gatewayTable: Table {
        var table = Table(columns: [
            .init(title: "GATEWAY", narrowest: 14), .init(title: "STATE"), .init(title: "READS", isNumeric: true),
            .init(title: "WAITING", isNumeric: true, expendability: 3), .init(title: "POWER", expendability: 2),
            .init(title: "BLUETOOTH", expendability: 1), .init(title: "VERSION", expendability: 4),
            .init(title: view.versions == nil ? "" : "CONFIGURATION", expendability: 2),
        ])
        table.rows = gateways.map { gateway in
            let paint: Paint = gateway.isOnline == true ? .good : gateway.isOnline == false ? .bad : .warning
            let bluetooth = gateway.state?.hasBluetoothProblem
            let cells: [Table.Cell] = [
                .init(gateway.reads.map { "\($0)" } ?? ""), .init(gateway.state?.backlog.map { "\($0)" } ?? ""),
                .init(gateway.state?.powerMode?.rawValue ?? ""),
                .init(bluetooth.map { $0 ? "problem" : "good" } ?? "", bluetooth == true ? .bad : .plain),
                .init(gateway.state?.version ?? ""), .init(view.versions?.words(of: gateway.name) ?? ""),
            ]
            return [.init(gateway.name, .bold), .init(Self.state(of: gateway), paint)]
                + (gateway.isOnline == true ? cells : cells.map(\.faint))
        }
        return table
    }

    private static func state(of gateway: FleetView.Gateway) -> String {
        gateway.isOnline.map { $0 ? "online" : "offline" } ?? "unknown"
    }

    private var deviceTable: Table {
        var table = Table(columns: [
            .init(title: "DEVICE", narrowest: 14), .init(title: "STATE"), .init(title: "GATEWAY"),
            .init(title: "FOR", isNumeric: true, expendability: 1),
            .init(title: "RSSI", isNumeric: true, expendability: 3),
            .init(title: "OTHERS", narrowest: 24, expendability: 2), .init(title: "ID", expendability: 4),
        ])
        table.rows = devices.map { device in
            let report = device.reader?.report
            let paint: Paint = device.state == .read ? .good : .bad
            return [
                .init(Untrusted(device.name).description, .bold), .init(device.state.rawValue, paint),
                .init(device.reader?.gateway ?? ""),
                .init(report?.since.map { AttemptMessages.span(from: min($0, now), to: now) } ?? ""),
                .init(report?.rssi.map { "\($0)" } ?? ""),
                .init(device.others.map(\.words).joined(separator: ", "), cut: .items),
                .init(device.alias == nil ? "" : device.id.description),
            ]
        }
        return table
    }

    private var notes: [(Paint, String)] {
        view.notes(now: now, failure: failure).map { note in
            switch note.weight {
            case .plain: (.plain, note.text)
            case .warning: (.warning, note.text)
            case .bad: (.bad, note.text)
            }
        }
    }

    /// The parts that make `--watch` print again when they change. Ages and the strength of signals don't.
    var news: [String] {
        let gateways: [String] = gateways.map { gateway in
            let problem = gateway.state?.hasBluetoothProblem == true
            let configuration = view.versions?.words(of: gateway.name) ?? ""
            return
                "\(gateway.name) \(Self.state(of: gateway)) \(problem) \(gateway.state?.powerMode?.rawValue ?? "") \(configuration)"
        }
        let devices: [String] = devices.map { device in
            let others: [String] = device.others.map { other in
                "\(other.gateway) \(other.isOnline == true) \(other.report?.word ?? "")"
            }
            let reader = device.reader?.gateway ?? ""
            return "\(device.id) \(device.state) \(reader) \(others.joined(separator: " "))"
        }
        return [failure ?? ""] + gateways + devices
    }

    // MARK: JSON

    var json: String {
        let pairs: [(key: String, value: JSON?)] = [
            ("fleet", .text(view.fleet)), ("error", .text(failure)), ("configuration", view.versions.map(Self.json)),
            ("gateways", .array(gateways.map(Self.json))),
            ("devices", .array(devices.map(Self.json))),
        ]
        return JSON.object(pairs).text
    }

    private static func json(_ versions: FleetVersions) -> JSON {
        let gateways = versions.gateways.sorted { $0.key < $1.key }.map { name, gateway in
            JSON.object([
                "name": .text(name), "version": .integer(gateway.version), "wanted": .integer(gateway.wanted),
                "refused": .integer(gateway.refused),
                "problem": .text(gateway.problem),
            ])
        }
        return .object(["version": .integer(versions.all), "gateways": .array(gateways)])
    }

    private static func json(_ gateway: FleetView.Gateway) -> JSON {
        let state = gateway.state
        let pairs: [(key: String, value: JSON?)] = [
            ("name", .text(gateway.name)), ("state", .text(Self.state(of: gateway))),
            ("version", .text(state?.version)),
            ("power_mode", .text(state?.powerMode?.rawValue)),
            ("backlog", .integer(state?.backlog.map { Int($0) })),
            ("bluetooth_problem", flag(state?.hasBluetoothProblem)), ("reads", .integer(gateway.reads)),
            ("installation", .text(gateway.installation)),
            ("last_message", .text(gateway.lastMessage.map { UTCTime(milliseconds: $0).iso })),
            ("clock_lead_s", .integer(gateway.clockLead.map { Int($0) })),
        ]
        return .object(pairs)
    }

    private static func json(_ device: FleetView.Device) -> JSON {
        let report = device.reader?.report
        let since = report?.since.map { UTCTime(milliseconds: $0).iso }
        let pairs: [(key: String, value: JSON?)] = [
            ("device", .text(device.name)), ("id", .text(device.id.description)),
            ("state", .text(device.state.rawValue)), ("gateway", .text(device.reader?.gateway)),
            ("since", .text(since)), ("rssi", .integer(report?.rssi)), ("bonded", flag(report?.isBonded)),
            ("reason", .text(report?.reason)), ("trouble", .text(device.trouble)),
            ("others", .array(device.others.map(json))),
        ]
        return .object(pairs)
    }

    private static func json(_ other: FleetView.Mention) -> JSON {
        let pairs: [(key: String, value: JSON?)] = [
            ("gateway", .text(other.gateway)), ("online", flag(other.isOnline)), ("state", .text(other.report?.word)),
            ("rssi", .integer(other.report?.rssi)), ("bonded", flag(other.report?.isBonded)),
        ]
        return .object(pairs)
    }

    private static func flag(_ flag: Bool?) -> JSON? { flag.map { .boolean($0) } }

    // MARK: Exit code

    /// Checks that a gateway reads each device.
    /// Throws a failure with an empty text, because the report was already printed.
    func check() throws(Failure) {
        let unread = devices.count { $0.state != .read }
        if unread > 0 { throw Failure(unread == devices.count ? .allFailed : .someFailed, "") }
    }
}
