import ArgumentParser
import Blekeep
import BlekeepHistory
import BlekeepOutputs
import RunLoop

struct Values: ContextCommand, FileCommand, FormattedCommand {
    static let configuration = CommandConfiguration(
        commandName: "values", abstract: "Show the newest values, one line for each device.",
        discussion: """
            Without DEV, shows the devices of the running poller, or of the last one. Reads the history only. When 'poll' \
            isn't running or writes too rarely, the first line says so, and the values are gray.

            Examples:
              blekeep values
              blekeep values greenhouse cellar --watch
              blekeep values --json
            """)

    @Argument(
        help: ArgumentHelp("The devices: aliases, addresses, or tag:NAME.", valueName: "dev"), completion: .device)
    var devices: [String] = []

    @Flag(help: "Run until Ctrl-C, and show each change.")
    var watch = false

    @OptionGroup var formats: FormatOptions
    @OptionGroup var common: CommonOptions

    func validate() throws { _ = try formats.chosen(json: options.json) }

    func run(in context: CommandContext) async throws {
        if watch, context.terminal.isInteractive, format == .human { return try await show(context) }
        var last: [String]?
        repeat {
            // An age alone isn't a change.
            let view = try view(in: context)
            if view.news != last {
                let width = context.terminal.isInteractive ? context.terminal.size().columns : nil
                let lines =
                    format == .human
                    ? view.head(width: width, on: context.terminal)
                        + view.table.lines(width: width, on: context.terminal)
                    : view.lines(format, isFirst: last == nil)
                for line in lines { try context.output.line(line) }
            }
            last = view.news
            guard watch else { return }
            try await context.output.hasRoom()
            try await context.loop.sleep(until: context.loop.now + .seconds(1))
        } while context.ending == nil
    }

    /// Draws the values once a second.
    private func show(_ context: CommandContext) async throws {
        var last = try view(in: context)
        let screen = LiveScreen(context) { columns, _ in
            last = (try? view(in: context)) ?? last
            return Picture(
                head: last.head(width: columns, on: context.terminal),
                table: last.table.lines(width: columns, on: context.terminal))
        }
        try await screen.run {
            let width = context.terminal.size().columns
            return last.head(width: width, on: context.terminal) + last.table.lines(width: width, on: context.terminal)
        }
    }

    /// Reads the history. In an async function, Swift would choose GRDB's async overloads, which start threads.
    private func view(in context: CommandContext) throws -> ValuesView {
        try StoredHistory.read(context) { reader in
            var query = HistoryQuery()
            query.devices = try HistoryDevice.resolveAll(
                devices, among: context.optionalConfiguration?.poll.devices ?? [], in: reader)
            let run = devices.isEmpty ? try reader.lastRun()?.devices : nil
            var view = ValuesView(
                try reader.latest(query), of: run.map { Set($0.map(\.id)) }, now: context.wallTime(),
                decimals: context.decimals, lowBattery: context.lowBattery)
            do {
                view.report = try StatusReport.read(
                    from: reader, configured: [], now: context.wallTime(), clocks: context.clocks())
            } catch is StatusError {}
            view.tags = DeviceTags(context.optionalConfiguration?.poll.devices ?? [])
            return view
        }
    }
}

/// The output of `values`.
struct ValuesView {
    private let readings: [StoredReading]
    private let now: Int64
    private let decimals: LayoutDecimals
    private let lowBattery: Int
    /// `nil` before the first run of the poller.
    var report: StatusReport?
    /// Those of the devices, for formats of programs.
    var tags = DeviceTags()

    /// - Parameter devices: the devices to show; `nil` for all.
    init(
        _ readings: [StoredReading], of devices: Set<DeviceID>?, now: Int64,
        decimals: LayoutDecimals = LayoutDecimals(), lowBattery: Int = NoticeConfiguration.lowBattery
    ) {
        self.decimals = decimals
        self.lowBattery = lowBattery
        self.readings = readings.filter { devices?.contains($0.reading.id) ?? true }
        self.now = now
    }

    private var isStale: Bool { report?.isPolling == false }

    var news: [String] { readings.map { "\($0.sequence)" } + ["\(isStale)"] }

    /// Why the values are stale; empty when they aren't.
    func head(width: Int?, on terminal: Terminal) -> [String] {
        guard let report, isStale else { return [] }
        return StatusHead(report).poller.lines(width: width, on: terminal) + [""]
    }

    /// The newest reading of each field, in a format for programs.
    ///
    /// - Parameter isFirst: whether the format's header comes before them.
    func lines(_ format: LineFormat, isFirst: Bool) -> [String] {
        let writer = Composition.writer(format, tags: tags)
        let lines = readings.compactMap { stored -> String? in
            guard case .value = stored.reading.outcome, !writer.hides(stored.reading) else { return nil }
            return writer.line(stored)
        }
        return (isFirst ? [writer.header].compactMap(\.self) : []) + lines
    }

    var table: Table {
        var table = Table(columns: [
            .init(title: "DEVICE", narrowest: 10), .init(title: "VALUES", narrowest: 20),
            .init(title: "BATTERY", isNumeric: true, expendability: 1), .init(title: "AGE", isNumeric: true),
        ])
        let values = NewestValues(readings.map(\.reading), decimals, lowBattery: lowBattery).devices
        // The newest name of each device.
        let names = readings.reduce(into: [DeviceID: String]()) { $0[$1.reading.id] = $1.reading.device }
        let devices = values.map { (name: names[$0.key] ?? $0.key.description, values: $0.value) }
        table.rows = devices.sorted { NaturalOrder.precedes($0.name, $1.name) }.map { name, values in
            let cells: [Table.Cell] = [
                .init(Untrusted(name).description, .bold), .init(values.text, cut: .items), .init(batteryOf: values),
                .init(AgeText.text(.milliseconds(max(0, now - values.time))), .faint),
            ]
            return isStale ? cells.map(\.faint) : cells
        }
        return table
    }
}
