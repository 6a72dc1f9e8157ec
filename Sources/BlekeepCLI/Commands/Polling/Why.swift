import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs

struct Why: ContextCommand, FileCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Show the last attempts with a device, and what you can do.",
        discussion: """
            Reads the records that 'poll' stores with the readings, also when it isn't running.

            Examples:
              blekeep why greenhouse
              blekeep why F0:00:00:00:00:01 --limit 50
              blekeep why greenhouse --json
            """)

    @Argument(help: ArgumentHelp("The device.", valueName: "dev"), completion: .device)
    var device: String

    @Option(help: ArgumentHelp("The number of lines, the newest ones.", valueName: "n"))
    var limit: Int = 20

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if !(1...10_000).contains(limit) { throw ValidationError("--limit must be from 1 to 10000") }
    }

    func run(in context: CommandContext) async throws {
        let report = try report(in: context)
        for line in options.json ? report.json : report.lines { try context.output.line(line) }
    }

    /// Reads the ledger. In an async function, Swift would choose GRDB's async overloads, which start threads.
    private func report(in context: CommandContext) throws -> WhyReport {
        let configured = try context.validConfiguration()?.poll.devices
        return try StoredHistory.read(context) { reader in
            let id = try HistoryDevice.resolve(device, among: configured ?? [], in: reader)
            let known = configured?.first { $0.id == id }
            let entries = try reader.attempts(of: id, limit: limit)
            guard let status = try reader.status(of: id) else {
                if let message = known?.exclusionMessage { throw Failure(.notFound, Untrusted.whole(message)) }
                let name = Untrusted(known?.name ?? device)
                throw Failure(.notFound, "\(name) has no attempts yet; start with 'blekeep poll'")
            }
            let now = context.wallTime()
            var report = try StatusReport.read(
                from: reader, configured: configured ?? [], now: now, clocks: context.clocks())
            report.newest = NewestValues(
                try reader.latest(HistoryQuery(device: id)).map(\.reading), context.decimals, statuses: [status])
            return WhyReport(
                status: status, entries: entries, name: known?.name ?? status.name, shortage: report.shortage,
                outage: report.outage,
                exclusion: configured.flatMap { report.exclusion(of: id, configured: $0) },
                alarms: report.alarms(of: id), staleSince: report.staleSince, now: now)
        }
    }
}
