import Blekeep
import BlekeepHistory
import BlekeepOutputs
import RunLoop

/// The live table of `poll`: each value with its device, and the state of the device.
final class PollView: Sink {
    let delivery = SinkDelivery.liveOnly
    let name = "screen"
    private let context: CommandContext
    private var configuration: PollConfiguration
    private var model = PollModel()
    private let wallTime: () -> Int64
    /// Returns the current status, for each picture.
    var status: (() -> PollerStatus)?
    /// What a simulated machine is like; `nil` for a real one.
    private let scenario: String?
    private var screen: LiveScreen?
    private let start: Uptime
    /// The last table with its failures, as it was when the command was asked to end.
    private var last: [String]?

    /// The time in which no connection to the message bus is normal.
    private static let quietTime: Duration = .seconds(2)
    private static let shownMessages = 2
    private static let shownFailures = 4

    /// - Parameters:
    ///   - scenario: what a simulated machine is like; `nil` for a real one.
    ///   - wallTime: returns the time in milliseconds since 1970.
    init(
        _ context: CommandContext, configuration: PollConfiguration, scenario: String? = nil,
        wallTime: @escaping () -> Int64 = WallClock.milliseconds
    ) {
        self.wallTime = wallTime
        self.scenario = scenario
        self.context = context
        self.configuration = configuration
        start = context.loop.now
    }

    func send(_ readings: [LiveReading], isLive: Bool, key: Int?) throws {
        for reading in readings { model.apply(reading.reading) }
        screen?.update()
    }

    func apply(_ configuration: PollConfiguration) { self.configuration = configuration }

    /// Starts to draw, with the status of each time.
    func show(_ status: @escaping () -> PollerStatus) throws {
        self.status = status
        let screen = LiveScreen(context) { [unowned self] columns, rows in self.picture(columns: columns, rows: rows) }
        self.screen = screen
        try screen.show()
    }

    /// Restores the screen, before the connections end. `end` must follow.
    func hide() {
        last = last ?? lastLines
        screen?.hide()
    }

    /// Restores the screen, and prints the last table.
    func end() {
        screen?.end(leaving: last ?? lastLines)
        screen = nil
    }

    private var lastLines: [String] {
        let columns = context.terminal.size().columns
        let failures = obstacle(columns) + failures(columns)
        return table().lines(width: columns, on: context.terminal) + (failures.isEmpty ? [] : [""] + failures)
    }

    // MARK: The picture

    func picture(columns: Int, rows: Int) -> Picture {
        let count = configuration.devices.count
        var head = [
            context.terminal.paint(
                DisplayWidth.cut(
                    sentence: "blekeep: \(count) \(count == 1 ? "device" : "devices"); Ctrl-C ends", to: columns),
                as: .accent)
        ]
        head += obstacle(columns)
        if let power = status?().power, power.mode > .normal {
            let text = "\(power.mode.rawValue) mode: \(Untrusted(power.reason))"
            head.append(context.terminal.paint(DisplayWidth.cut(sentence: text, to: columns), as: .warning))
        }
        head.append("")
        let notes = notes(columns: columns, rows: rows)
        let foot = notes.isEmpty ? [] : [""] + notes
        let whole = Picture(head: head, table: table().lines(width: columns, on: context.terminal), foot: foot)
        if whole.fits(rows) { return whole }
        return Picture(head: head, table: shortTable().lines(width: columns, on: context.terminal), foot: foot)
    }

    /// A line about what keeps all devices from being read; none at the start, when that is normal.
    private func obstacle(_ columns: Int) -> [String] {
        guard let status = status?(), context.loop.now - start >= Self.quietTime,
            let obstacle = status.outage.map({ Advice.message($0) }) ?? obstacle(status.adapters)
        else { return [] }
        let text = Untrusted(obstacle, limit: 300).description
        return [context.terminal.paint(DisplayWidth.cut(sentence: text, to: columns), as: .bad)]
    }

    private func obstacle(_ adapters: [GatewayStatus.Adapter]) -> String? {
        guard adapters.allSatisfy({ !$0.isOn }) else { return nil }
        let (obstacle, advice) =
            adapters.first.map { ("the adapter \($0.name) is off", "turn it on with 'bluetoothctl power on'") }
            ?? ("this machine has no Bluetooth adapter", "plug one in")
        return obstacle + (scenario.map { ", as simulated: \($0)" } ?? ": \(advice)")
    }

    /// The failures of devices, and the last lines of the log.
    private func notes(columns: Int, rows: Int) -> [String] {
        let messages = screen?.recentMessages(max(1, min(Self.shownMessages, rows / 10))) ?? []
        return failures(columns).prefix(max(1, min(Self.shownFailures, rows / 6)))
            + messages.map { context.terminal.paint(DisplayWidth.cut(sentence: $0, to: columns), as: .faint) }
    }

    private func failures(_ columns: Int) -> [String] {
        let failures = (status?().devices ?? []).compactMap { device in
            device.failure.map { "\(device.name): \(Untrusted(Advice.message($0, of: device.address), limit: 300))" }
        }
        return failures.map { context.terminal.paint(DisplayWidth.cut(sentence: $0, to: columns), as: .bad) }
    }

    private func table() -> Table {
        var table = Table(columns: [
            .init(title: "DEVICE", narrowest: 12), .init(title: "MEASURED"),
            .init(title: "VALUE", isNumeric: true, narrowest: 7), .init(title: "UNIT"),
            .init(title: "AGE", isNumeric: true, expendability: 1), .init(title: "TREND", expendability: 5),
            .init(title: "LINK", expendability: 3), .init(title: "RSSI", isNumeric: true, expendability: 4),
            .init(title: "NEXT", isNumeric: true, expendability: 2), .init(title: "INTERVAL", expendability: 6),
        ])
        let time = wallTime()
        for device in status?().devices ?? [] {
            let lines = model.lines(of: device.address)
            let planned = planned(device)
            let state = Self.state(of: device, interval: reason(of: device, planned: planned), time: time)
            let name = Self.name(device)
            if lines.isEmpty { table.rows.append([name, "–", "", "", "", ""] + state) }
            let (shown, others) = Self.folded(lines)
            for (index, line) in shown.enumerated() {
                let age = Duration.milliseconds(max(0, time - line.heard(device)))
                let isOld = line.isFailure || age > (device.interval ?? planned) * 3
                table.rows.append(
                    [
                        index == 0 ? name : "", .init(line.shown.name),
                        .init(line.shown.value, isOld ? .warning : .good), .init(line.shown.unit),
                        .init(AgeText.text(age), isOld ? .warning : .faint), .init(Sparkline.text(line.course)),
                    ] + (index == 0 ? state : ["", "", "", ""]))
            }
            if others > 0 { table.rows.append(["", .init("\(others) more", .faint)] + Array(repeating: "", count: 8)) }
        }
        return table
    }

    /// One line for each device, when a line for each value has no room. Devices with failures come first.
    private func shortTable() -> Table {
        var table = Table(columns: [
            .init(title: "DEVICE", narrowest: 12), .init(title: "VALUES", narrowest: 16),
            .init(title: "AGE", isNumeric: true, expendability: 1), .init(title: "LINK", expendability: 3),
            .init(title: "NEXT", isNumeric: true, expendability: 2),
        ])
        let time = wallTime()
        let devices = (status?().devices ?? []).sorted { left, right in
            if (left.failure == nil) != (right.failure == nil) { return left.failure != nil }
            return NaturalOrder.precedes(left.name, right.name)
        }
        table.rows = devices.map { device in
            let lines = model.lines(of: device.address)
            let (shown, others) = Self.folded(lines)
            let age = lines.map { $0.heard(device) }.max().map { AgeText.text(.milliseconds(max(0, time - $0))) }
            let state = Self.state(of: device, interval: "", time: time)
            return [
                Self.name(device),
                .init(
                    lines.isEmpty ? "–" : ShownValue.text(shown.map(\.shown), more: others),
                    device.failure == nil ? .good : .bad,
                    cut: .items),
                .init(age ?? "", .faint), state[0], state[2],
            ]
        }
        return table
    }

    /// Returns the lines to show, and the number of diagnostic ones, which are only counted when there are others.
    private static func folded(_ lines: [PollModel.Line]) -> (shown: ArraySlice<PollModel.Line>, others: Int) {
        let shown = lines.prefix { $0.shown.place.group != .diagnostic }
        return shown.isEmpty ? (lines[...], 0) : (shown, lines.count - shown.count)
    }

    private static func name(_ device: DeviceStatus) -> Table.Cell {
        .init(device.name, .bold, cut: device.name == device.address.description ? .beginning : .end)
    }

    /// The columns LINK, RSSI, NEXT and INTERVAL.
    private static func state(of device: DeviceStatus, interval: String, time: Int64) -> [Table.Cell] {
        let paint: Paint =
            switch device.link {
            case .held, .reading, .listening: .good
            case .searching: .warning
            case .released, .connecting, .resolving, .closing, .foreign: .plain
            }
        let next = device.next.map { AgeText.text(.milliseconds($0 - time + 999)) }
        return [
            .init(device.link.rawValue, paint), .init(device.rssi.map { "\($0)" } ?? ""), .init(next ?? "–"),
            .init(interval),
        ]
    }

    /// The configured interval.
    private func planned(_ device: DeviceStatus) -> Duration {
        let own = configuration.devices.first { $0.id == device.id }
        return own.map { DeviceSetting($0, in: configuration).shortestInterval } ?? configuration.interval
    }

    /// The interval and its source: the value, the device, the configuration, or the default.
    private func reason(of device: DeviceStatus, planned: Duration) -> String {
        let own = configuration.devices.first { $0.id == device.id }
        let text = DurationText.text(planned)
        if device.interval != planned { return "\(text) → \(device.interval.map(DurationText.rounded) ?? "paused")" }
        if own?.characteristics.contains(where: { $0.interval == planned }) == true { return "\(text) value" }
        if own?.interval != nil { return "\(text) device" }
        return "\(text) \(configuration.interval == PollConfiguration.defaultInterval ? "default" : "all")"
    }
}
