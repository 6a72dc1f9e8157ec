import ArgumentParser
import Blekeep
import BlekeepOutputs
import Glibc
import RunLoop

struct HistoryCommand: OptionsCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Print what was read, the oldest first; also beside a running poll.",
        discussion: """
            Examples:
              blekeep history greenhouse --since 1h
              blekeep history --since 7d --csv > week.csv
            """)

    @Argument(help: ArgumentHelp("Only this device: its alias or address.", valueName: "dev"), completion: .device)
    var device: String?

    @Option(help: "Only what came within this time, such as 1h or 7d.")
    var since: DurationArgument?

    @Flag(help: "Comma-separated values with a header.")
    var csv = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if options.json, csv { throw ValidationError("--json and --csv exclude each other") }
    }

    func run() throws {
        let configuration = try Composition.loadConfiguration(options)?.configuration
        let path = try Composition.historyPath(configuration)
        let sink = Composition.sink(options.json ? .json : csv ? .csv : .human)
        let start = since.map { WallClock.milliseconds() - $0.duration.wholeNanoseconds / 1_000_000 }
        do {
            let reader = try HistoryReader(path: path)
            var batch: [StoredReading] = []
            try reader.readings(HistoryQuery(device: device, since: start)) { reading in
                batch.append(reading)
                if batch.count == 256 {
                    try sink.publish(batch)
                    batch = []
                }
            }
            try sink.publish(batch)
        } catch is SinkClosed {
            return
        } catch let error as HistoryError {
            if case .missing = error { throw Failure(.notFound, error.description) }
            throw Failure(.badConfiguration, error.description)
        }
    }
}
