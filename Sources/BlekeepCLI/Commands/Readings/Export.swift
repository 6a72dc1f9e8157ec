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
              blekeep export greenhouse temperature --since 'yesterday 18:00' --csv --file night.csv
            """)

    @Argument(
        help: ArgumentHelp(
            "Only these devices: aliases, addresses, tag:NAME, or all. Behind them, only these characteristics or fields.",
            valueName: "dev"), completion: .device)
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
        var query = HistoryQuery()
        do { try query.take(since: since, until: until, now: WallClock.milliseconds()) } catch {
            throw ValidationError(error.message)
        }
    }

    func run() throws {
        let loaded = try Composition.loadConfiguration(options)
        let configuration = loaded?.configuration
        let path = try Composition.readHistoryPath(configuration)
        if let file { try StoredHistory.spare(file, history: path, configuration: loaded?.files ?? []) }
        var query = HistoryQuery()
        try query.take(since: since, until: until, now: WallClock.milliseconds())
        try StoredHistory.read(at: path) { reader in
            let configured = configuration?.poll.devices ?? []
            let (names, fields) = try HistoryWords.split(devices, among: configured, in: reader)
            query.devices = try HistoryDevice.resolveAll(names, among: configured, in: reader)
            let all = names.isEmpty ? "any device" : names.joined(separator: ", ")
            try HistoryWords.check(fields, of: all, query.devices, in: reader)
            let tags = Composition.tags(configuration)
            guard let file else {
                let output = StandardOutput()
                let count = try write(query, of: fields, tags: tags, from: reader) { try output.write($0) }
                if count == 0 { StandardError.print("blekeep: no readings") }
                return
            }
            let count: Int
            do {
                let whole = try WholeFile(file)
                count = try write(query, of: fields, tags: tags, from: reader) { try whole.write($0) }
                try whole.finish()
            } catch let error as UserError { throw Failure(.allFailed, error.description) }
            let object: JSON = .object(["state": "written", "file": .text(file), "readings": .integer(count)])
            let what = count == 1 ? "1 reading" : "\(count == 0 ? "no" : "\(count)") readings"
            try StandardOutput().line(format == .json ? object.text : "wrote \(what) to \(Untrusted.whole(file))")
        }
    }

    /// - Returns: the number of readings.
    private func write(
        _ query: HistoryQuery, of fields: [CharacteristicName], tags: DeviceTags, from reader: HistoryReader,
        to output: ([UInt8]) throws -> Void
    ) throws -> Int {
        let writer = Composition.writer(format, tags: tags)
        var bytes: [UInt8] = []
        if let header = writer.header { bytes = Array("\(header)\n".utf8) }
        var progress = try ReadingProgress(last: reader.lastSequence())
        var count = 0
        try reader.readings(query) { reading in
            progress.show(reading.sequence)
            guard fields.admit(reading.reading.key), !writer.hides(reading.reading) else { return }
            count += 1
            writer.append(reading, to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
            guard bytes.count >= 1 << 16 else { return }
            try output(bytes)
            bytes = []
        }
        try output(bytes)
        progress.clear()
        return count
    }
}

/// How far a command is that writes readings to a file or a pipe, in a line on a terminal.
struct ReadingProgress {
    private let last: Int64
    private let isShown: Bool
    private let start = MachineClock.awake()
    private var shown: Duration
    private var progress: ExportProgress?

    /// - Parameters:
    ///   - last: the number of the last reading.
    ///   - isShown: whether the readings themselves don't go to the same terminal.
    init(last: Int64, isShown: Bool = true) {
        self.last = last
        self.isShown = isShown && isatty(STDERR_FILENO) == 1
        shown = start
    }

    mutating func show(_ sequence: Int64) {
        guard isShown else { return }
        if progress == nil { progress = ExportProgress(sequence...max(last, sequence)) }
        progress?.exported(sequence)
        // Asking the clock takes longer than the rest.
        guard let progress, progress.count % 256 == 0 else { return }
        let now = MachineClock.awake()
        guard now - shown >= .milliseconds(500) else { return }
        shown = now
        StandardError.draw("\r\u{1B}[K" + progress.line(after: now - start))
    }

    func clear() {
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
