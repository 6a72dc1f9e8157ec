import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import RunLoop

struct Status: ContextCommand, FileCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the state of the poller, the adapters and each device.",
        discussion: """
            Reads the records that 'poll' stores with the readings, also when it isn't running. The exit code is 0 when \
            all is well, 1 when some devices or a sink fail or a rule fires, and 6 when all fail, when 'poll' isn't running or when it \
            writes too rarely. It is 3, 4 or 7 when all devices fail for that reason. With DEV, only these devices count. While 'poll' isn't running or writes \
            too rarely, states are stale, and gray. While --watch runs, 'poll' doesn't lengthen intervals.

            Examples:
              blekeep status
              blekeep status tag:cellar
              blekeep status --watch
              blekeep status --json
            """)

    @Argument(
        help: ArgumentHelp("Only these devices: aliases, addresses, tag:NAME, or all.", valueName: "dev"),
        completion: .device)
    var devices: [String] = []

    @Flag(help: "Run until Ctrl-C, and show each change.")
    var watch = false

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let source = StatusSource(context, devices)
        let watcher = watch ? Watcher(context.loop, try StoredHistory.path(context)) : nil
        let report = try await context.show(
            watches: watch, format: options.json ? { report, _ in [report.json] } : nil, look: { watcher?.look() }
        ) { try source.report() }
        if !watch { try report.check() }
    }
}

extension StatusReport: WatchedView {}

/// Lets `poll` know that a user is watching, so that it doesn't lengthen intervals. Call `look` about once a second.
private final class Watcher {
    private let loop: RunLoop
    private let path: String
    private var next: Uptime

    init(_ loop: RunLoop, _ path: String) {
        self.loop = loop
        self.path = path
        next = loop.now
    }

    func look() {
        guard loop.now >= next else { return }
        HistoryWatch.look(at: path)
        next = loop.now + HistoryWatch.period
    }
}

/// The sources of a status: the ledger, the lock beside it, and the configuration.
struct StatusSource {
    private let context: CommandContext
    /// The devices to show; none for all.
    private let names: [String]

    init(_ context: CommandContext, _ names: [String] = []) { (self.context, self.names) = (context, names) }

    func report() throws -> StatusReport {
        let configured = try context.validConfiguration()?.poll.devices ?? []
        do {
            return try StoredHistory.read(context) { reader in
                var report = try StatusReport.read(
                    from: reader, configured: configured, now: context.wallTime(), clocks: context.clocks())
                report.gateway = Composition.tags(context.optionalConfiguration).gateway
                report.newest = NewestValues(
                    try reader.latest().map(\.reading), context.decimals, limits: context.batteryLimits,
                    statuses: report.devices)
                guard !names.isEmpty else { return report }
                return report.only(try HistoryDevice.resolveAll(names, among: configured, in: reader), of: configured)
            }
        } catch let error as StatusError {
            throw Failure(error.pid == nil ? .notFound : .allFailed, error.description)
        } catch let error as Failure {
            let copies = HistoryCopies.all(of: try StoredHistory.path(context))
            throw Failure(error.code, ([error.message] + CopyMessages.lines(copies)).joined(separator: "\n"))
        }
    }
}
