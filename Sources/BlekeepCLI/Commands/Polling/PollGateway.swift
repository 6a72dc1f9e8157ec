import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs
import BlekeepService
import DBus
import Logging
import RunLoop

/// What `blekeep poll` runs: the one place that makes its parts, each from those before it. The history comes first, then
/// the sinks, then the poller, which uses both. The service, systemd's reports and signals control the poller.
final class PollGateway: ServedPoller, @unchecked Sendable {
    private let context: CommandContext
    private let world: SimulatedWorld?
    private let load: (_ drafts: [String: String]) throws -> Configuration
    private let historyPath: String?
    private let history: History
    private let view: PollView?
    private let lines: LineSink?
    private let writer: (DeviceTags) -> any LineWriter
    private let reports: ServiceReports?
    private let service: PollerService?
    private var sinks: ConfiguredSinks
    private let poller: Poller
    private let writing = BlockingCall()
    private var fleetPace = FleetPace()

    /// Whether another program has the name of the service, so that `run` ended.
    private(set) var isTaken = false

    /// - Parameter load: reads the configuration again, with drafts of files by their paths.
    init(
        _ command: Poll, configuration: Configuration, in world: SimulatedWorld?, context: CommandContext,
        load: @escaping (_ drafts: [String: String]) throws -> Configuration
    ) throws {
        self.context = context
        self.world = world
        self.load = load
        historyPath = configuration.history.path
        let (loop, log, environment, poll) = (context.loop, context.log, context.environment, configuration.poll)

        let path = try world?.historyPath ?? Composition.historyPath(configuration)
        let history = try Composition.openHistory(
            path, limits: HistoryLimits(configuration.history), isOneOff: command.isOneOff, log: log)
        self.history = history

        let format = command.format
        let hasView = context.terminal.isInteractive && format == .human && !command.once
        view = hasView ? PollView(context, configuration: poll, scenario: world?.summary) : nil
        writer = { Composition.writer(format, tags: $0) }
        lines = hasView ? nil : Composition.sink(format, tags: DeviceTags(poll))
        reports = ServiceReports(environment, on: loop)
        let connect = Composition.bus(command.options, on: loop, log: log)
        service =
            world == nil && !command.isOneOff
            ? PollerService(
                poll, from: Composition.configurationLoader(command.options, environment: environment).place,
                version: Version.text, on: loop, log: log, connect: connect) : nil
        final class Receiver { weak var gateway: PollGateway? }
        let receiver = Receiver()
        let isWhole = world == nil && command.devices.isEmpty && !command.isOneOff
        sinks = ConfiguredSinks(
            configuration, isComplete: command.devices.isEmpty, on: loop, environment: environment, log: log,
            history: history, applyFleet: isWhole ? { receiver.gateway?.apply($0, yaml: $1, then: $2) ?? false } : nil)

        let fixed: [(any Sink)?] = [view, lines, service?.sink, reports]
        poller = Poller(
            poll, count: command.once ? 1 : command.count, on: loop, store: history,
            sinks: fixed.compactMap(\.self) + sinks.all, log: log,
            supply: world.map { _ in { SupplyFacts(state: .unknown) } }, isWatched: { HistoryWatch.isFresh(path) }
        ) { () async throws(BusError) in
            if let world { try await world.connect() } else { try await connect() }
        }
        poller.onReady = { [reports, poller] in reports?.ready { poller.lag } }
        if view != nil { poller.attach() }
        receiver.gateway = self
    }

    // MARK: Running

    /// Draws the table, if there is one.
    func begin() throws { try view?.show { [poller] in poller.status } }

    /// Polls until `stop` is called, or until each device had its number of ticks.
    func run() async throws -> PollerReport {
        guard let world else { return await runServed() }
        return try await world.mounted { await self.poller.run() }
    }

    private func runServed() async -> PollerReport {
        guard let service else { return await poller.run() }
        return await withDiscardingTaskGroup { group in
            group.addTask {
                guard await service.run(serving: self) == .taken else { return }
                self.isTaken = true
                self.poller.stop()
            }
            let report = await poller.run()
            service.stop()
            group.cancelAll()
            return report
        }
    }

    /// Ends `run` soon, and says so.
    func stop() {
        view?.hide()
        reports?.stopping()
        poller.stop()
    }

    func close() {
        view?.end()
        history.close()
    }

    // MARK: Control

    func obey(_ command: DeviceCommand, answer: @escaping (Result<[UInt8], ReadingFailure>) -> Void) {
        poller.obey(command, answer: answer)
    }

    /// Reads the configuration again. With a mistake in it, nothing changes.
    /// Throws a failure for the user, which the log has as well.
    func reload() throws(ReloadFailure) {
        do {
            let configuration = try load([:])
            guard configuration.history.path == historyPath else {
                throw UserError("'history: path' changes only when blekeep starts: restart it")
            }
            var sinks = sinks
            sinks.apply(configuration)
            let fixed: [(any Sink)?] = [view, lines, service?.sink, reports]
            try poller.reconfigure(configuration.poll, sinks: fixed.compactMap(\.self) + sinks.all)
            self.sinks = sinks
            history.change(HistoryLimits(configuration.history))
            service?.apply(configuration.poll)
            view?.apply(configuration.poll)
            lines?.writer = writer(DeviceTags(configuration.poll))
            context.log.notice("read the configuration again")
        } catch {
            let failure = error as? Failure
            let message = failure?.message ?? "\(error)"
            context.log.refusedConfiguration(message)
            throw ReloadFailure(isMistake: failure?.code == .badConfiguration || failure?.code == .usage, message)
        }
    }

    /// Takes the configuration that the fleet's database gives. With a mistake in it, nothing changes.
    ///
    /// - Parameter done: called later with the mistake, or with `nil` when the gateway uses it.
    /// - Returns: whether it isn't too early for another one.
    private func apply(_ version: FleetVersion, yaml: String, then done: @escaping @Sendable (String?) -> Void) -> Bool
    {
        guard fleetPace.takes(at: context.loop.now) else { return false }
        let path = FleetConfiguration.path(besides: history.path)
        let new = FleetConfiguration(version, yaml: yaml)
        do {
            _ = try load([path: new.text])
            try writing.start(on: context.loop) {
                Result { try new.write(to: path) }
            } then: { [weak self] result in
                guard let self else { return }
                do {
                    try result.get()
                    try reload()
                    context.log.notice("this is version \(version.number) of the fleet's configuration")
                    done(nil)
                } catch { done(refusal(of: version, error)) }
            }
        } catch {
            let refusal = refusal(of: version, error)
            context.loop.soon { done(refusal) }
        }
        return true
    }

    /// Logs why this gateway doesn't use a version of the fleet's configuration, and returns it.
    private func refusal(of version: FleetVersion, _ error: any Error) -> String {
        let message = (error as? Failure)?.message ?? "\(error)"
        let words = message.replacing(FleetConfiguration.path(besides: history.path), with: "the fleet's configuration")
        context.log.error("refused version \(version.number) of the fleet's configuration")
        for sentence in words.split(separator: "\n").prefix(20) { context.log.error("\(sentence)") }
        return words
    }
}

extension Logger {
    /// Logs why a process keeps its old configuration, a line for each mistake.
    func refusedConfiguration(_ message: String) {
        error("kept the configuration, because the new one can't be used")
        for sentence in message.split(separator: "\n") { error("\(sentence)") }
    }
}
