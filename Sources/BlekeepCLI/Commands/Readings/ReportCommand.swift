import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs
import RunLoop

struct ReportCommand: ContextCommand, FileCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Summarize a period: readings, gaps and their causes, battery use.",
        discussion: """
            Uses only the history. What blekeep costs the battery of a sensor is an estimate, as a range, from its \
            connections and from the time in which blekeep scanned actively, of a CR2032's 220 mAh.

            Examples:
              blekeep report
              blekeep report --since 7d --json
              blekeep report --since 'yesterday 18:00' --until 'today 06:00'
              blekeep report --svg report.svg
            """)

    @Option(help: ArgumentHelp("The start of the report; a time as for 'history'.", valueName: "time"))
    var since = "12h"

    @Option(help: ArgumentHelp("The end of the report; the default is now.", valueName: "time"))
    var until: String?

    @Option(
        help: ArgumentHelp("Also write the report and the measurements as a picture to this file.", valueName: "file"),
        completion: .file())
    var svg: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        do { _ = try HistoryQuery.time(since: since, until: until, now: WallClock.milliseconds()) } catch {
            throw ValidationError(error.message)
        }
    }

    func run(in context: CommandContext) async throws {
        let loaded = try Composition.loadConfiguration(options, environment: context.environment)
        let path = try Composition.readHistoryPath(loaded?.configuration, environment: context.environment)
        if let svg { try StoredHistory.spare(svg, history: path, configuration: loaded?.files ?? []) }
        let (report, plots) = try report(path, in: context)
        let view = ReportView(report, offset: LocalTime.offset)
        if let svg {
            let picture = ReportPicture(
                report, title: "blekeep, \(view.span)", plots: plots, offset: LocalTime.offset)
            try NewFile.replace(picture.text, at: svg, failure: .allFailed)
        }
        if options.json { return try context.output.line(view.json.text) }
        for line in view.lines(on: context.terminal) { try context.output.line(line) }
    }

    /// Reads the report, and for a picture the measurements.
    private func report(_ path: String, in context: CommandContext) throws -> (Report, ReportPlots) {
        try StoredHistory.read(at: path) { reader in
            let time = try HistoryQuery.time(since: since, until: until, now: context.wallTime())
            let length = Duration.milliseconds(time.upperBound - time.lowerBound)
            guard let report = try reader.report(since: length, until: until == nil ? nil : time.upperBound) else {
                let why = until == nil ? "is empty; start with 'blekeep poll'" : "has nothing before that time"
                throw Failure(.notFound, "the history \(path) \(why)")
            }
            return (report, svg == nil ? ReportPlots() : try ReportPlots(report, from: reader))
        }
    }
}
