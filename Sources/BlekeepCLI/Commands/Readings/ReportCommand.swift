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
            Uses only the history. The battery use of a sensor is an estimate: connections a day × seconds connected × \
            0.15 mA, of a CR2032's 220 mAh.

            Examples:
              blekeep report
              blekeep report --since 7d --json
              blekeep report --svg report.svg
            """)

    @Option(help: ArgumentHelp("The start of the report; a time as for 'history'.", valueName: "time"))
    var since = "12h"

    @Option(
        help: ArgumentHelp("Also write the report and the measurements as a picture to this file.", valueName: "file"),
        completion: .file())
    var svg: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        do { _ = try age(now: WallClock.milliseconds()) } catch { throw ValidationError(error.message) }
    }

    /// Returns how long ago the report starts.
    private func age(now: Int64) throws(Failure) -> Duration {
        let age: Int64
        do { age = now - (try TimeText.parse(since, now: now, offset: LocalTime.offset)) } catch {
            throw Failure(error)
        }
        guard age >= 0 else { throw Failure(.usage, "--since must be in the past") }
        return .milliseconds(age)
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
            guard let report = try reader.report(since: age(now: context.wallTime())) else {
                throw Failure(.notFound, "the history \(path) is empty; start with 'blekeep poll'")
            }
            return (report, svg == nil ? ReportPlots() : try ReportPlots(report, from: reader))
        }
    }
}
