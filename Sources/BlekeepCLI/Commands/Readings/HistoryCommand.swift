import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs
import Glibc
import RunLoop

struct HistoryCommand: FileCommand, FormattedCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Print stored readings, the oldest first, or write them to a file.",
        discussion: """
            A time is an age (1h, 7d, 1y) or a local time (06:30, 2026-11-01, '2026-11-01 06:30', today, 'yesterday 22:00'), \
            or ISO 8601. 06:30 is the latest one. With --every, each line summarizes that time of one series, 5 minutes or \
            a multiple of them: the number of values, the least, the mean, the greatest and the last one. blekeep keeps summaries \
            longer than readings. With --file, the file appears when it is complete and on the disk.

            Examples:
              blekeep history greenhouse --since 1h
              blekeep history greenhouse temperature --since yesterday --until today
              blekeep history greenhouse attic --since 7d --influx | gzip > week.gz
              blekeep history greenhouse --since 10m --follow
              blekeep history --csv --file readings.csv
              blekeep history greenhouse --since 1d --every 10m
              blekeep history --since 1y --every 1d --json
            """)

    @Argument(
        help: ArgumentHelp("Only this device: its alias or address, tag:NAME, or all.", valueName: "dev"),
        completion: .device)
    var device: String?

    @Argument(
        help: ArgumentHelp(
            "Only these characteristics or fields: their names, or UUIDs. Before them, more devices.", valueName: "char"
        ),
        completion: .field)
    var others: [String] = []

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

    @Option(help: ArgumentHelp("The file to write instead of standard output.", valueName: "file"), completion: .file())
    var file: String?

    @OptionGroup var formats: FormatOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        let format = try formats.chosen(json: options.json) ?? .human
        if every != nil, [.influx, .value].contains(format) {
            throw ValidationError("--every prints human, json or csv, not \(format.rawValue)")
        }
        if follow, every != nil { throw ValidationError("--follow and --every exclude each other") }
        if follow, until != nil { throw ValidationError("--follow and --until exclude each other") }
        if file != nil, follow || every != nil { throw ValidationError("--file takes neither --follow nor --every") }
        if let every, SummaryWindows(every.duration, offset: LocalTime.offset) == nil {
            throw ValidationError("--every must be \(SummaryWindows.rule)")
        }
        var query = HistoryQuery()
        do { try query.take(since: since, until: until, now: WallClock.milliseconds()) } catch {
            throw ValidationError(error.message)
        }
    }

    func run() throws {
        let loaded = try Composition.loadConfiguration(options)
        let configured = loaded?.configuration.poll.devices ?? []
        let path = try Composition.readHistoryPath(loaded?.configuration)
        if let file { try StoredHistory.spare(file, history: path, configuration: loaded?.files ?? []) }
        var query = HistoryQuery()
        try query.take(since: since, until: until, now: WallClock.milliseconds())
        try StoredHistory.read(at: path) { reader in
            let (more, names) = try HistoryWords.split(others, among: configured, in: reader)
            let devices = [device].compactMap(\.self) + more
            query.devices = try HistoryDevice.resolveAll(devices, among: configured, in: reader)
            if names.count == 1 {
                (query.characteristic, query.fields) = (names[0].uuid, [names[0].field].compactMap(\.self))
            }
            // The first one may come, and summaries outlive their readings.
            if !follow, every == nil {
                try HistoryWords.check(names, of: devices.joined(separator: ", "), query.devices, in: reader)
            }
            let extras = Extras(
                names: names, tags: Composition.tags(loaded?.configuration),
                decimals: LayoutDecimals(loaded?.configuration))
            if follow {
                let tail = HistoryTail(query, path: path)
                try CommandContext.perform(options, within: options.timeout?.duration) {
                    try await print(tail, extras: extras, in: $0)
                }
            } else if let windows = every.flatMap({ SummaryWindows($0.duration, offset: LocalTime.offset) }) {
                try printSummaries(query, in: windows, extras: extras, from: reader)
            } else if let file {
                try write(query, extras: extras, from: reader, to: file)
            } else {
                let output = StandardOutput()
                _ = try printReadings(query, extras: extras, from: reader) { try output.write($0) }
            }
        }
    }

    /// What the history doesn't keep of its readings, and which of them to print.
    private struct Extras {
        let names: [CharacteristicName]
        let tags: DeviceTags
        let decimals: LayoutDecimals
    }

    private func write(_ query: HistoryQuery, extras: Extras, from reader: HistoryReader, to file: String) throws {
        let count: Int
        do {
            let whole = try WholeFile(file)
            count = try printReadings(query, extras: extras, from: reader) { try whole.write($0) }
            try whole.finish()
        } catch let error as UserError { throw Failure(.allFailed, error.description) }
        let object: JSON = .object(["state": "written", "file": .text(file), "readings": .integer(count)])
        let what = count == 1 ? "1 reading" : "\(count == 0 ? "no" : "\(count)") readings"
        try StandardOutput().line(format == .json ? object.text : "wrote \(what) to \(Untrusted.whole(file))")
    }

    /// - Returns: the number of readings.
    private func printReadings(
        _ query: HistoryQuery, extras: Extras, from reader: HistoryReader, to output: ([UInt8]) throws -> Void
    ) throws -> Int {
        let writer = Composition.writer(format, tags: extras.tags)
        var decimals = extras.decimals
        var bytes: [UInt8] = []
        if let header = writer.header { bytes = Array("\(header)\n".utf8) }
        var progress = try ReadingProgress(
            last: reader.lastSequence(), isShown: file != nil || isatty(STDOUT_FILENO) == 0)
        var count = 0
        try reader.joined(query) { live in
            if let sequence = live.sequence { progress.show(sequence) }
            guard extras.names.admit(live.reading.key), !writer.hides(live.reading) else { return }
            count += 1
            writer.append(LiveReading(sequence: live.sequence, reading: decimals.complete(live.reading)), to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
            guard bytes.count >= 1 << 16 else { return }
            try output(bytes)
            bytes = []
        }
        try output(bytes)
        progress.clear()
        return count
    }

    /// Prints stored readings, and then new ones until the command must end.
    private func print(_ tail: HistoryTail, extras: Extras, in context: CommandContext) async throws {
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
                let matching = page.filter { extras.names.admit($0.reading.key) }
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
        let output = StandardOutput()
        let printer = SummaryPrinter(
            format, on: .standardOutput(noColor: options.noColor, environment: Composition.environment),
            offset: LocalTime.offset, decimals: extras.decimals
        ) { try output.write($0) }
        try reader.summaries(query, in: windows) { summary in
            if extras.names.admit(summary.key) { try printer.add(summary) }
        }
        try printer.finish()
    }
}
