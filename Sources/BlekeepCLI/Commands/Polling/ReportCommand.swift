import ArgumentParser
import Blekeep
import BlekeepHistory
import BlekeepOutputs
import Glibc
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
        help: ArgumentHelp("Also write the report as a picture to this file.", valueName: "file"), completion: .file())
    var svg: String?

    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) async throws {
        let configuration = try Composition.loadConfiguration(options, environment: context.environment)?.configuration
        let path = try Composition.readHistoryPath(configuration, environment: context.environment)
        let view = ReportView(try report(path), offset: LocalTime.offset)
        if let svg { try Self.write(ReportPicture(view.report, title: "blekeep, \(view.span)").text, to: svg) }
        if options.json { return try context.output.line(view.json.text) }
        for line in view.lines(on: context.terminal) { try context.output.line(line) }
    }

    private func report(_ path: String) throws(Failure) -> Report {
        do {
            let report = try HistoryReader(path: path).report(since: since.duration)
            if let report { return report }
        } catch let error as HistoryError {
            if case .missing = error { throw Failure(.notFound, error.description) }
            throw Failure(.badConfiguration, error.description)
        } catch { throw Failure(.badConfiguration, "\(error)") }
        throw Failure(.notFound, "the history \(path) is empty; start with 'blekeep poll'")
    }

    private static func write(_ text: String, to path: String) throws(Failure) {
        guard let file = fopen(path, "we") else { throw failure(path, errno) }
        let written = fputs(text, file)
        guard fclose(file) == 0, written >= 0 else { throw failure(path, errno) }
    }

    private static func failure(_ path: String, _ code: Int32) -> Failure {
        Failure(.usage, "can't write the picture to \(path): \(String(cString: strerror(code)))")
    }
}
