import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import BlekeepService
import DBus
import Glibc
import Logging
import RunLoop

struct Poll: BluetoothCommand, FormattedCommand {
    static let configuration = CommandConfiguration(
        commandName: "poll", abstract: "Read devices at intervals, and store their readings.",
        discussion: """
            DEV is an alias from the configuration, an address, adapter/address, tag:NAME, or a device's own name as \
            'scan' shows it. Without DEV, 'poll' reads all configured devices. Of a DEV that isn't configured, it reads \
            every value that it can decode. On a terminal, it draws a table: arrows, Page Up and Page Down scroll, q \
            leaves.

            Examples:
              blekeep poll F0:00:00:00:00:01 --once --json
              blekeep poll --interval 1m greenhouse hci1/F0:00:00:00:00:02
              blekeep poll --simulate
              blekeep poll --simulate asked -c my-recipe.yaml
            """)

    @Argument(help: ArgumentHelp("The devices to poll.", valueName: "dev"), completion: .device)
    var devices: [String] = []

    @Flag(help: "Stop after one tick. The exit code shows the result.")
    var once = false

    @Option(help: "Stop after this many ticks.")
    var count: Int?

    @Option(
        help: "The time between ticks, such as 30s or 5m; from 5s to 24h. Otherwise the configuration's, or 30s.",
        transform: DurationArgument.init(parsing:))
    var interval: DurationArgument?

    @Option(
        defaultAsFlag: "home",
        help: "Poll simulated devices instead of real ones. 'asked' has a device for each recipe, also those of -c.",
        completion: .scenario)
    var simulate: String?

    @OptionGroup var formats: FormatOptions
    @OptionGroup var common: CommonOptions
    @OptionGroup var adapter: AdapterOption
    @OptionGroup var bus: BusOption

    /// Whether it ends by itself, after some ticks.
    var isOneOff: Bool { once || count != nil }

    func validate() throws {
        if once, count != nil { throw ValidationError("--once and --count exclude each other") }
        _ = try formats.chosen(json: options.json)
        if let count, count < 1 { throw ValidationError("--count must be 1 or more") }
        if let interval, !PollConfiguration.intervals.contains(interval.duration) {
            throw ValidationError("--interval must be from 5s to 24h")
        }
    }

    func run() throws {
        let loop = try RunLoop()
        let context = CommandContext(on: loop, options)
        let world = try simulate.map {
            try SimulatedWorld($0, file: options.config == nil ? nil : context.validConfiguration()?.poll, on: loop)
        }
        // A reload must find the same devices.
        let names = try world == nil ? context.resolvingOwnNames(devices) : devices
        let configuration = try configuration(of: names, world: world, in: context)
        let gateway = try PollGateway(self, configuration: configuration, in: world, context: context) { drafts in
            try self.configuration(of: names, world: world, in: context, isReload: true, drafts: drafts)
        }
        defer { gateway.close() }
        let signals = try loop.onSignals([SIGHUP, SIGUSR1, SIGUSR2]) { number in
            guard number == SIGHUP else {
                return context.log.notice("ignored signal \(Self.name(number)); SIGTERM ends poll")
            }
            // Otherwise, it would go on unseen after its window was closed.
            if context.terminal.isInteractive, isatty(STDOUT_FILENO) == 0 { return gateway.stop() }
            // The log has the failure.
            do { try gateway.reload() } catch {}
        }
        defer { loop.unwatch(signals) }
        var isLate = false
        if let limit = options.timeout?.duration {
            loop.schedule(at: loop.now + limit) {
                isLate = true
                gateway.stop()
            }
        }
        logStalls(context.log)
        // Without an end, drop output that isn't read. With one, wait for the reader.
        let limit = isOneOff ? nil : Self.maxQueue
        let report = try loop.runCommand(
            endings: [SIGINT, SIGTERM], limit: limit, onBegin: gateway.begin, onEnd: { _ in gateway.stop() }
        ) { try await gateway.run() }
        if gateway.isTaken {
            throw Failure(
                .alreadyRunning,
                "another program has the name \(Poller1.service) on the message bus; is another poller running?")
        }
        if let error = report.sinkError as? SinkFailure { throw Failure(.allFailed, error.description) }
        guard isOneOff else { return }
        if isLate { throw Failure(.timedOut, "the ticks took too long") }
        try report.check()
    }

    // MARK: Output

    /// The most bytes that wait for a reader. All readings that wait for the history fit when they are printed at once.
    private static let maxQueue = 4 << 20

    /// Logs once when the reader stops reading, and once when it resumes.
    private func logStalls(_ log: Logger) {
        let output = StandardOutput.writer
        output.onStall = {
            log.warning("no program reads standard output: dropping lines; the history keeps the readings")
        }
        output.onResume = { log.notice("a program reads standard output again; \($0) lines were dropped") }
        output.onHangup = { log.notice("the terminal was closed; poll continues without it") }
    }

    private static func name(_ signal: Int32) -> String {
        switch signal {
        case SIGUSR1: "SIGUSR1"
        case SIGUSR2: "SIGUSR2"
        default: "\(signal)"
        }
    }

    // MARK: Devices

    /// - Parameters:
    ///   - isReload: whether the poller runs already. Then it may have no devices, and doesn't wait for a program that
    ///     writes the configuration into a pipe.
    ///   - drafts: what files are to have, by their paths.
    private func configuration(
        of names: [String], world: SimulatedWorld?, in context: CommandContext, isReload: Bool = false,
        drafts: [String: String] = [:]
    ) throws -> Configuration {
        var configuration = try chosenDevices(names, world: world, in: context, isReload: isReload, drafts: drafts)
        for problem in configuration.readKeys(Credentials(environment: context.environment)) {
            context.log.warning("\(problem)")
        }
        return configuration
    }

    private func chosenDevices(
        _ names: [String], world: SimulatedWorld?, in context: CommandContext, isReload: Bool, drafts: [String: String]
    ) throws -> Configuration {
        func load() throws(Failure) -> Configuration? {
            guard isReload else { return try context.validConfiguration() }
            return try Composition.loadConfiguration(options, mayWait: false, drafts: drafts)?.configuration
        }
        var all = try world.map { Configuration(poll: $0.configuration) } ?? load()
        // Only a file named with -c may set sinks for simulated readings. The service's file may not.
        if world != nil, options.config != nil, let loaded = try load() {
            all?.gateway = loaded.gateway
            all?.sinks = loaded.sinks
            all?.metrics = loaded.metrics
            all?.separateSimulated()
            if !isReload, !loaded.poll.devices.isEmpty {
                context.log.warning(
                    "polling the devices of the simulation, and not those of the configuration; 'blekeep simulate -- blekeep poll' polls simulated devices as the configuration says"
                )
            }
        }
        if all == nil, names.isEmpty {
            throw Failure(.usage, "there is nothing to poll, as no device is configured; 'blekeep scan' finds some")
        }
        if let interval {
            all?.poll.interval = interval.duration
            for index in all?.poll.devices.indices ?? 0..<0 { all?.poll.devices[index].interval = nil }
        }
        var configuration =
            all
            ?? Configuration(poll: PollConfiguration(interval: interval?.duration ?? PollConfiguration.defaultInterval))
        if let adapter = options.adapter { configuration.poll.adapter = adapter }
        let known = configuration.poll.devices
        configuration.poll.devices =
            try names.isEmpty
            ? known.filter(\.isPolled)
            : DeviceName.resolveAll(names, among: known, skipsDisabled: true, isSimulated: world != nil)
        let mayComeLater = world == nil && names.isEmpty && configuration.sinks.postgres?.givesConfiguration == true
        guard isReload || mayComeLater || !configuration.poll.devices.isEmpty else {
            if let world {
                throw Failure(
                    .usage,
                    "this scenario has no devices (\(world.summary)); to see how poll waits for an adapter, name one: "
                        + "'blekeep poll --simulate empty F0:00:00:00:00:01'")
            }
            throw Failure(
                .usage,
                known.isEmpty
                    ? "the configuration names no devices; 'blekeep scan' finds some"
                    : known.contains(where: \.isEnabled)
                        ? "other gateways than this one, \(configuration.gateway), read the devices; see 'gateways' in the "
                            + "configuration"
                        : "all devices are disabled; 'blekeep set DEV enabled true' enables one")
        }
        return configuration
    }
}

extension PollerReport {
    /// - Throws: a failure when a tick of some or of all devices failed.
    func check() throws(Failure) {
        let failed = devices.filter { $0.failedTicks > 0 || $0.partialTicks > 0 }
        guard !failed.isEmpty else { return }
        let sentences = failed.map { device in
            let failure = device.lastFailure.map { Advice.message($0, of: device.address) }
            return "\(device.name): \(failure ?? "some ticks failed")"
        }
        let message = sentences.joined(separator: "\n")
        guard devices.allSatisfy({ $0.goodTicks == 0 }) else { throw Failure(.someFailed, message) }
        let codes = Set(failed.compactMap(\.lastFailure?.code))
        switch codes {
        case _ where codes.isSubset(of: [.known(.noBus), .known(.noBluez), .known(.noPermission)]):
            throw .withoutBluetooth(.noBluez, sentence: failed.first?.lastFailure?.message ?? "")
        case [.known(.noAdapter)], [.known(.adapterOff)]:
            throw .withoutBluetooth(.noAdapter, sentence: failed.first?.lastFailure?.message ?? "")
        case [.known(.notFound)]: throw Failure(.notFound, message)
        case _ where codes.allSatisfy { $0.known?.needsUserAction == true }: throw Failure(.pairing, message)
        default: throw Failure(.allFailed, message)
        }
    }
}
