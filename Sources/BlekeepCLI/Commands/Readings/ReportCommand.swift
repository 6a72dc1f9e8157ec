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
            connections and from the time in which blekeep scanned actively, of its `battery`, or of a CR2032.

            Examples:
              blekeep report
              blekeep report --since 7d --json
              blekeep report --since 'yesterday 18:00' --until 'today 06:00'
            """)

    @Option(help: ArgumentHelp("The start of the report; a time as for 'history'.", valueName: "time"))
    var since = "12h"

    @Option(help: ArgumentHelp("The end of the report; the default is now.", valueName: "time"))
    var until: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        do { _ = try HistoryQuery.time(since: since, until: until, now: WallClock.milliseconds()) } catch {
            throw ValidationError(error.message)
        }
    }

    func run(in context: CommandContext) async throws {
        let batteries = context.optionalConfiguration?.poll.batteries ?? [:]
        let view = ReportView(try report(in: context), batteries: batteries, offset: LocalTime.offset)
        if options.json { return try context.output.line(view.json.text) }
        for line in view.lines(on: context.terminal) { try context.output.line(line) }
    }

    /// Reads the history. In an async function, Swift would choose GRDB's async overloads, which start threads.
    private func report(in context: CommandContext) throws -> Report {
        let path = try StoredHistory.path(context)
        return try StoredHistory.read(at: path) { reader in
            let time = try HistoryQuery.time(since: since, until: until, now: context.wallTime())
            let length = Duration.milliseconds(time.upperBound - time.lowerBound)
            guard let report = try reader.report(since: length, until: until == nil ? nil : time.upperBound) else {
                let why = until == nil ? "is empty; start with 'blekeep poll'" : "has nothing before that time"
                throw Failure(.notFound, "the history \(path) \(why)")
            }
            return report
        }
    }
}
