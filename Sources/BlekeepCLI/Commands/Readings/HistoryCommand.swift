import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs
import Glibc
import RunLoop

struct HistoryCommand: FileCommand, FormattedCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Print stored readings, the oldest first.",
        discussion: """
            A time is an age (1h, 7d, 1y) or a local time (06:30, 2026-11-01, '2026-11-01 06:30', today, 'yesterday 22:00'), \
            or ISO 8601. 06:30 is the latest one. With --every, each line summarizes that time of one series, 5 minutes or \
            a multiple of them: the number of values, the least, the mean, the greatest and the last one. blekeep keeps summaries \
            longer than readings.

            Examples:
              blekeep history greenhouse --since 1h
              blekeep history greenhouse temperature --since yesterday --until today
              blekeep history greenhouse --since 10m --follow
              blekeep history --since 7d --csv > week.csv
              blekeep history greenhouse --since 1d --every 10m
              blekeep history --since 1y --every 1d --json
            """)

    @Argument(
        help: ArgumentHelp("Only this device: its alias or address, or tag:NAME.", valueName: "dev"),
        completion: .device)
    var device: String?

    @Argument(
        help: ArgumentHelp("Only this characteristic or field: its name, or a UUID.", valueName: "char"),
        completion: .field)
    var characteristic: String?

    @Option(help: ArgumentHelp("Only readings since this time.", valueName: "time"))
    var since: String?

    @Option(help: ArgumentHelp("Only readings before this time.", valueName: "time"))
    var until: String?

    @Option(
        help: ArgumentHelp("Summaries of 5m, 10m, 1h, 1d and so on instead of readings.", valueName: "time"),
        transform: DurationArgument.init(parsing:))
    var every: DurationArgument?

    @Flag(name: .shortAndLong, help: "Then print new readings as they are stored, until Ctrl-C or --timeout.")
    var follow = false

    @OptionGroup var formats: FormatOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        let format = try formats.chosen(json: options.json) ?? .human
        if every != nil, [.influx, .value].contains(format) {
            throw ValidationError("--every prints human, json or csv, not \(format.rawValue)")
        }
        if follow, every != nil { throw ValidationError("--follow and --every exclude each other") }
        if follow, until != nil { throw ValidationError("--follow and --until exclude each other") }
        if let every, SummaryWindows(every.duration, offset: LocalTime.offset) == nil {
            throw ValidationError("--every must be \(SummaryWindows.rule)")
        }
        do { _ = try query(now: WallClock.milliseconds()) } catch { throw ValidationError(error.message) }
    }

    /// The query without the device.
    func query(now: Int64) throws(Failure) -> HistoryQuery {
        var query = HistoryQuery(
            characteristic: try characteristicName()?.uuid, field: try characteristicName()?.field)
        try query.take(since: since, until: until, now: now)
        return query
    }

    func run() throws {
        let configuration = try Composition.loadConfiguration(options)?.configuration
        let path = try Composition.readHistoryPath(configuration)
        var query = try query(now: WallClock.milliseconds())
        try StoredHistory.read(at: path) { reader in
            if let device {
                query.devices = try HistoryDevice.resolveAll(
                    [device], among: configuration?.poll.devices ?? [], in: reader)
                // The first one may come, and summaries outlive their readings.
                if !follow, every == nil, let name = try characteristicName() {
                    try HistoryWords.check([name], of: device, query.devices, in: reader)
                }
            }
            let extras = Extras(
                tags: Composition.tags(configuration),
                decimals: LayoutDecimals(configuration))
            if follow {
                let tail = HistoryTail(query, path: path)
                try CommandContext.perform(options, within: options.timeout?.duration) {
                    try await print(tail, extras: extras, in: $0)
                }
            } else if let windows = every.flatMap({ SummaryWindows($0.duration, offset: LocalTime.offset) }) {
                try printSummaries(query, in: windows, extras: extras, from: reader)
            } else {
                try printReadings(query, extras: extras, from: reader)
            }
        }
    }

    private func characteristicName() throws(Failure) -> CharacteristicName? {
        guard let characteristic else { return nil }
        return try CharacteristicName(inHistory: characteristic)
    }

    /// What the history doesn't keep of its readings.
    private struct Extras {
        let tags: DeviceTags
        let decimals: LayoutDecimals
    }

    private func printReadings(_ query: HistoryQuery, extras: Extras, from reader: HistoryReader) throws {
        var decimals = extras.decimals
        let names = [try characteristicName()].compactMap(\.self)
        let sink = Composition.sink(format, tags: extras.tags)
        var batch: [LiveReading] = []
        var progress = try ReadingProgress(last: reader.lastSequence(), isShown: isatty(STDOUT_FILENO) == 0)
        try reader.readings(query) { stored in
            progress.show(stored.sequence)
            guard names.admit(stored.reading.key) else { return }
            batch.append(LiveReading(sequence: stored.sequence, reading: decimals.complete(stored.reading)))
            if batch.count == 256 {
                try sink.send(batch)
                batch = []
            }
        }
        try sink.send(batch)
        progress.clear()
    }

    /// Prints stored readings, and then new ones until the command must end.
    private func print(_ tail: HistoryTail, extras: Extras, in context: CommandContext) async throws {
        let names = [try characteristicName()].compactMap(\.self)
        let sink = Composition.sink(format, tags: extras.tags)
        let news = Gate(context.loop)
        let follower = HistoryFollower(path: tail.path, on: context.loop) { news.open() }
        context.onEnd = { news.open() }
        follower.start()
        defer { follower.stop() }
        var (tail, decimals) = (tail, extras.decimals)
        while context.ending == nil {
            do {
                let page = try tail.next()
                let matching = page.filter { names.admit($0.reading.key) }
                try sink.send(
                    matching.map { LiveReading(sequence: $0.sequence, reading: decimals.complete($0.reading)) })
                try await context.output.hasRoom()
                if page.isEmpty { await news.wait() }
            } catch let error as HistoryError where Self.passes(error) {
                await news.wait(until: context.loop.now + .seconds(1))
            }
        }
    }

    /// Whether the history may come back by itself, such as when another file takes its place.
    private static func passes(_ error: HistoryError) -> Bool {
        if case .missing = error { return true }
        return error.isPassing
    }

    private func printSummaries(
        _ query: HistoryQuery, in windows: SummaryWindows, extras: Extras, from reader: HistoryReader
    ) throws {
        let names = [try characteristicName()].compactMap(\.self)
        let output = StandardOutput()
        let printer = SummaryPrinter(
            format, on: .standardOutput(noColor: options.noColor, environment: Composition.environment),
            offset: LocalTime.offset, decimals: extras.decimals
        ) { try output.write($0) }
        try reader.summaries(query, in: windows) { summary in
            if names.admit(summary.key) { try printer.add(summary) }
        }
        try printer.finish()
    }
}
