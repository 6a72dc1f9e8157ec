import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs
import RunLoop

struct Plot: ContextCommand, FileCommand {
    static let configuration = CommandConfiguration(
        commandName: "plot", abstract: "Draw stored numbers in the terminal.",
        discussion: """
            Without CHAR, draws all numbers of the device. Several devices, or those of tag:NAME, are drawn in one \
            plot: a word that names a device is a device, and any other one a characteristic. Numbers of one unit share an axis, except for the battery's \
            charge. A line has a gap where no value came for three times the usual interval. Times are written as for \
            'history'. Long times are drawn from the summaries of 5 minutes or an hour.

            Examples:
              blekeep plot greenhouse
              blekeep plot greenhouse temperature humidity --since 7d
              blekeep plot cellar attic temperature
              blekeep plot tag:cold temperature --since 7d
              blekeep plot greenhouse temperature --since yesterday --until today
              blekeep plot greenhouse --since 1y --json
            """)

    @Argument(
        help: ArgumentHelp("The device: its alias or address, or tag:NAME.", valueName: "dev"), completion: .device)
    var device: String

    @Argument(
        help: ArgumentHelp(
            "Only these characteristics or fields: their names, or UUIDs. Before them, more devices.", valueName: "char"
        ),
        completion: .field)
    var others: [String] = []

    @Option(help: ArgumentHelp("The start of the plot.", valueName: "time"))
    var since = "12h"

    @Option(help: ArgumentHelp("The end of the plot.", valueName: "time"))
    var until: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        do { _ = try HistoryQuery.time(since: since, until: until, now: WallClock.milliseconds()) } catch {
            throw ValidationError(error.message)
        }
    }

    func run(in context: CommandContext) async throws {
        let size = context.terminal.size()
        let plot = try read(columns: PlotView.columns(width: size.columns), context)
        let view = PlotView(plot, offset: LocalTime.offset)
        let lines = options.json ? PlotLines.json(plot) : view.lines(size: size, on: context.terminal)
        for line in lines { try context.output.line(line) }
    }

    /// Reads the history. In an async function, Swift would choose GRDB's async overloads, which start threads.
    private func read(columns: Int, _ context: CommandContext) throws -> PlottedDevice {
        let configured = try context.validConfiguration()?.poll.devices ?? []
        let time = try HistoryQuery.time(since: since, until: until, now: context.wallTime())
        return try StoredHistory.read(context) { reader in
            let (more, names) = try HistoryWords.split(others, among: configured, in: reader)
            let devices = [device] + more
            let known = try HistoryDevice.resolveAll(devices, among: configured, in: reader)
            let plot = try reader.plotted(
                known.map { id in
                    PlotSelection(
                        device: id, time: time, columns: columns,
                        characteristic: names.count == 1 ? names[0].uuid : nil,
                        field: names.count == 1 ? names[0].field : nil, isFitted: true
                    ) { names.admit($0) }
                })
            let label = devices.joined(separator: ", ")
            try HistoryWords.check(names, of: label, known, in: reader)
            guard plot.series.isEmpty else { return names.isEmpty && !options.json ? plot.folded : plot }
            let asked = names.map { "'\(Untrusted($0.text))'" }.joined(separator: ", ")
            throw Failure(
                .notFound,
                "\(Untrusted.whole(label)) has no numbers\(asked.isEmpty ? "" : " of \(asked)") in this time; "
                    + "'blekeep values' shows the newest values, with their age")
        }
    }
}
