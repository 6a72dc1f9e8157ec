import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs

struct Values: ContextCommand, FileCommand, FormattedCommand {
    static let configuration = CommandConfiguration(
        commandName: "values", abstract: "Show the newest values, one line for each device.",
        discussion: """
            Without DEV, shows the devices of the running poller, or of the last one. Reads the history only. When 'poll' \
            isn't running or writes too rarely, the first line says so, and the values are gray. AGE and --max-age count \
            from when blekeep last read or heard a device, also when it repeated its values.

            Examples:
              blekeep values
              blekeep values greenhouse cellar --watch
              blekeep values tag:cellar --max-age 1h
              blekeep values --json
            """)

    @Argument(help: .devices, completion: .device)
    var devices: [String] = []

    @Flag(help: "Run until Ctrl-C, and show each change.")
    var watch = false

    @Option(
        help: ArgumentHelp("Only values that blekeep read or heard within this time, such as 1h.", valueName: "time"),
        transform: DurationArgument.init(parsing:))
    var maxAge: DurationArgument?

    @OptionGroup var formats: FormatOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        _ = try formats.chosen(json: options.json)
        if let maxAge, maxAge.duration <= .zero { throw ValidationError("--max-age must be above 0s") }
    }

    func run(in context: CommandContext) async throws {
        let format = format
        try await context.show(watches: watch, format: format == .human ? nil : { $0.lines(format, isFirst: $1) }) {
            try view(in: context)
        }
    }

    /// Reads the history. In an async function, Swift would choose GRDB's async overloads, which start threads.
    private func view(in context: CommandContext) throws -> ValuesView {
        try StoredHistory.read(context) { reader in
            var query = HistoryQuery()
            query.devices = try HistoryDevice.resolveAll(
                devices, among: context.optionalConfiguration?.poll.devices ?? [], in: reader)
            let run = devices.isEmpty ? try reader.lastRun()?.devices : nil
            let statuses = try run ?? query.devices.compactMap { try reader.status(of: $0) }
            var view = ValuesView(
                try reader.latest(query), of: run.map { Set($0.map(\.id)) }, statuses: statuses,
                maxAge: maxAge?.duration,
                now: context.wallTime(), decimals: context.decimals, limits: context.batteryLimits)
            do {
                view.report = try StatusReport.read(
                    from: reader, configured: [], now: context.wallTime(), clocks: context.clocks())
            } catch is StatusError {}
            view.tags = Composition.tags(context.optionalConfiguration)
            return view
        }
    }
}

struct ValuesView: WatchedView {
    private let readings: [StoredReading]
    private let now: Int64
    private let values: [DeviceID: NewestValues.Device]
    /// The devices in the order in which they are shown.
    private let order: [DeviceID]
    /// `nil` before the first run of the poller.
    var report: StatusReport?
    /// Those of the devices, for formats of programs.
    var tags = DeviceTags()

    /// - Parameters:
    ///   - devices: the devices to show; `nil` for all.
    ///   - statuses: those of the devices, for which sensor they are and when blekeep last heard it.
    ///   - maxAge: the greatest age of values; `nil` for any.
    init(
        _ readings: [StoredReading], of devices: Set<DeviceID>?, statuses: [DeviceStatus] = [], maxAge: Duration? = nil,
        now: Int64,
        decimals: LayoutDecimals = LayoutDecimals(), limits: BatteryLimits = BatteryLimits()
    ) {
        let oldest = maxAge.map { now - $0.wholeMilliseconds } ?? .min
        let shown = NewestValues.readings(
            readings.filter { devices?.contains($0.reading.id) ?? true }, since: oldest, statuses: statuses)
        self.readings = shown
        self.now = now
        values =
            NewestValues(shown.map(\.reading), decimals, limits: limits, statuses: statuses).devices
        // The newest name of each device.
        let names = shown.reduce(into: [DeviceID: String]()) { $0[$1.reading.id] = $1.reading.device }
        self.names = names
        order = values.keys.sorted { NaturalOrder.precedes(names[$0] ?? $0.description, names[$1] ?? $1.description) }
    }

    private let names: [DeviceID: String]

    private func name(_ device: DeviceID) -> String { names[device] ?? device.description }

    private var isStale: Bool { report?.isPolling == false }

    var news: [String] { readings.map { "\($0.sequence)" } + ["\(isStale)"] }

    /// Why the values are stale; empty when they aren't.
    func head(width: Int?, on terminal: Terminal) -> [String] {
        guard let report, isStale else { return [] }
        return StatusHead(report).pollerLines.lines(width: width, on: terminal) + [""]
    }

    func lines(width: Int?, on terminal: Terminal) -> [String] {
        head(width: width, on: terminal) + table.lines(width: width, on: terminal)
    }

    func picture(columns: Int, rows: Int, on terminal: Terminal) -> Picture {
        Picture(head: head(width: columns, on: terminal), table: table.lines(width: columns, on: terminal))
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
        table.rows = order.compactMap { device in
            guard let values = values[device] else { return nil }
            let name = name(device)
            let cells: [Table.Cell] = [
                .init(Untrusted(name).description, .bold), .init(values.text, cut: .items), .init(batteryOf: values),
                .init(AgeText.text(.milliseconds(max(0, now - values.time))), .faint),
            ]
            return isStale ? cells.map(\.faint) : cells
        }
        return table
    }
}
