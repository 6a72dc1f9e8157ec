import ArgumentParser
import Blekeep
import BlekeepHistory
import BlekeepOutputs
import RunLoop

struct ReportCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Summarize a night: readings, gaps and their causes, battery use.",
        discussion: """
            Uses only the history. The battery use of a sensor is an estimate: connections a day × seconds connected × \
            0.15 mA, of a CR2032's 220 mAh.

            Examples:
              blekeep report
              blekeep report --since 7d --json
              blekeep report --svg night.svg
            """)

    @Option(help: "The start of the report, as an age.")
    var since: DurationArgument = DurationArgument(.seconds(12 * 3600))

    @Option(
        help: ArgumentHelp("Also write the report and the measurements as a picture to this file.", valueName: "file"),
        completion: .file())
    var svg: String?

    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) async throws {
        let configuration = try Composition.loadConfiguration(options, environment: context.environment)?.configuration
        let path = try Composition.readHistoryPath(configuration, environment: context.environment)
        let (report, plots) = try report(path)
        let view = ReportView(report, offset: LocalTime.offset)
        if let svg {
            let picture = ReportPicture(
                report, title: "blekeep, \(view.span)", plots: plots, offset: LocalTime.offset)
            try NewFile.replace(picture.text, at: svg)
        }
        if options.json { return try context.output.line(view.json.text) }
        for line in view.lines(on: context.terminal) { try context.output.line(line) }
    }

    /// Reads the report, and for a picture the measurements.
    private func report(_ path: String) throws(Failure) -> (Report, ReportPlots) {
        do {
            let reader = try HistoryReader(path: path)
            if let report = try reader.report(since: since.duration) {
                return (report, svg == nil ? ReportPlots() : try ReportPlots(report, from: reader))
            }
        } catch let error as HistoryError {
            if case .missing = error { throw Failure(.notFound, error.description) }
            throw Failure(.badConfiguration, error.description)
        } catch { throw Failure(.badConfiguration, "\(error)") }
        throw Failure(.notFound, "the history \(path) is empty; start with 'blekeep poll'")
    }
}
