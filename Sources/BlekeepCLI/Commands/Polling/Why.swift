import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs
import RunLoop

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
        let device = try context.device(device)
        let report = try Self.report(of: device, limit: limit, in: context)
        for line in options.json ? report.json : report.lines { try context.output.line(line) }
    }

    /// Reads the ledger. In an async function, Swift would choose GRDB's async overloads, which start threads.
    private static func report(
        of device: DeviceConfiguration, limit: Int, in context: CommandContext
    ) throws -> WhyReport {
        try StoredHistory.read(context) { reader in
            let entries = try reader.attempts(of: device.id, limit: limit)
            guard let status = try reader.status(of: device.id) else {
                if let message = device.exclusionMessage { throw Failure(.notFound, Untrusted.whole(message)) }
                throw Failure(.notFound, "\(Untrusted(device.name)) has no attempts yet; start with 'blekeep poll'")
            }
            let now = context.wallTime()
            let configured = context.optionalConfiguration?.poll.devices
            var report = try StatusReport.read(
                from: reader, configured: configured ?? [], now: now, clocks: context.clocks())
            report.newest = NewestValues(
                try reader.latest(HistoryQuery(device: device.id)).map(\.reading), context.decimals, statuses: [status])
            return WhyReport(
                status: status, entries: entries, name: device.name, shortage: report.shortage,
                outage: report.outage,
                exclusion: configured.flatMap { report.exclusion(of: device.id, configured: $0) },
                alarms: report.alarms(of: device.id), staleSince: report.staleSince, now: now)
        }
    }
}
