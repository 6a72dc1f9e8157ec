import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepLog
import BlekeepOutputs
import Glibc
import RunLoop

struct Export: FileCommand, FormattedCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write readings of the history to a file or to standard output.",
        discussion: """
            The file appears when it is complete and on the disk. On a terminal, a line shows the progress. Times are \
            written as for 'history'.

            Examples:
              blekeep export --csv --file readings.csv
              blekeep export greenhouse attic --since 7d --influx | gzip > week.gz
            """)

    @Argument(
        help: ArgumentHelp("Only these devices: aliases, addresses, or tag:NAME.", valueName: "dev"),
        completion: .device)
    var devices: [String] = []

    @Option(help: ArgumentHelp("Only readings since this time.", valueName: "time"))
    var since: String?

    @Option(help: ArgumentHelp("Only readings before this time.", valueName: "time"))
    var until: String?

    @Option(help: ArgumentHelp("The file to write instead of standard output.", valueName: "file"), completion: .file())
    var file: String?

    @OptionGroup var formats: FormatOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard try formats.chosen(json: options.json) != nil else {
            throw ValidationError("choose a format, such as --csv, --json or --influx")
        }
        do { _ = try query(now: WallClock.milliseconds()) } catch { throw ValidationError(error.message) }
    }

    private func query(now: Int64) throws(Failure) -> HistoryQuery {
        var query = HistoryQuery()
        do { try query.select(since: since, until: until, now: now) } catch { throw Failure(error) }
        return query
    }

    func run() throws {
        let loaded = try Composition.loadConfiguration(options)
        let configuration = loaded?.configuration
        let path = try Composition.readHistoryPath(configuration)
        if let file { try StoredHistory.spare(file, history: path, configuration: loaded?.files ?? []) }
        var query = try query(now: WallClock.milliseconds())
        try StoredHistory.read(at: path) { reader in
            query.devices = try HistoryDevice.resolveAll(devices, among: configuration?.poll.devices ?? [], in: reader)
            let tags = Composition.tags(configuration)
            guard let file else {
                let output = StandardOutput()
                return try write(query, tags: tags, from: reader) { try output.write($0) }
            }
            do {
                let whole = try WholeFile(file)
                try write(query, tags: tags, from: reader) { try whole.write($0) }
                try whole.finish()
            } catch let error as UserError { throw Failure(.allFailed, error.description) }
            let object: JSON = .object(["state": "written", "file": .text(file)])
            try StandardOutput().line(format == .json ? object.text : "wrote \(Untrusted.whole(file))")
        }
    }

    private func write(
        _ query: HistoryQuery, tags: DeviceTags, from reader: HistoryReader, to output: ([UInt8]) throws -> Void
    ) throws {
        let writer = Composition.writer(format, tags: tags)
        var bytes: [UInt8] = []
        if let header = writer.header { bytes = Array("\(header)\n".utf8) }
        let start = MachineClock.awake()
        let isShown = isatty(STDERR_FILENO) == 1
        var progress: ExportProgress?
        var shown = start
        let last = try reader.lastSequence()
        try reader.readings(query) { reading in
            if progress == nil { progress = ExportProgress(reading.sequence...max(last, reading.sequence)) }
            progress?.exported(reading.sequence)
            guard !writer.hides(reading.reading) else { return }
            writer.append(reading, to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
            guard bytes.count >= 1 << 16 else { return }
            try output(bytes)
            bytes = []
            let now = MachineClock.awake()
            guard isShown, now - shown >= .milliseconds(500), let progress else { return }
            shown = now
            StandardError.draw("\r\u{1B}[K" + progress.line(after: now - start))
        }
        try output(bytes)
        if shown > start { StandardError.draw("\r\u{1B}[K") }
    }
}

/// The progress of an export, in one line.
struct ExportProgress {
    /// The numbers of the exported readings.
    let numbers: ClosedRange<Int64>
    private(set) var count = 0
    private var position: Int64

    init(_ numbers: ClosedRange<Int64>) {
        self.numbers = numbers
        position = numbers.lowerBound
    }

    mutating func exported(_ sequence: Int64) {
        count += 1
        position = max(position, sequence)
    }

    /// - Parameter elapsed: the time since the start.
    func line(after elapsed: Duration) -> String {
        let seconds = max(0.001, Double(elapsed.wholeMilliseconds) / 1000)
        let done = Double(position - numbers.lowerBound + 1) / Double(numbers.count)
        let left = Duration.milliseconds(Int64(min(1e12, seconds * (1 - done) / max(done, 1e-9) * 1000)))
        let percent = Int(done * 100)
        return "\(count) readings, \(Int(Double(count) / seconds))/s, \(percent) %, "
            + "\(DurationText.text(left.roundedToSeconds)) left"
    }
}

extension Duration {
    fileprivate var roundedToSeconds: Duration { .seconds(wholeMilliseconds / 1000) }
}
