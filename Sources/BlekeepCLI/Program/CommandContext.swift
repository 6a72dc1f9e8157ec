import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepLog
import BlekeepOutputs
import DBus
import Glibc
import Logging
import RunLoop

/// The environment of a command: bus, output, terminal, log, clocks. Tests replace it.
final class CommandContext: @unchecked Sendable {
    let loop: RunLoop
    let options: GlobalOptions
    let output: any Output
    let terminal: Terminal
    let log: Logger
    let environment: [String: String]
    /// The time in milliseconds since 1970.
    let wallTime: @Sendable () -> Int64
    let clocks: @Sendable () -> ClockReading
    private let connect: @Sendable () async throws(BusError) -> any Bus
    private var central: Central?
    /// Whether the configuration is that of a simulated machine.
    private(set) var isSimulated = false

    /// The cause that ends a command early.
    enum End: Equatable {
        case interrupted(Int32)
        case timedOut
    }

    private(set) var ending: End?
    /// What the command does now, such as `connecting to greenhouse`; `nil` when that says nothing about the time it takes.
    var work: String?

    /// The time that a command has to end.
    static let maxEnd: Duration = .milliseconds(1800)

    init(
        on loop: RunLoop, _ options: GlobalOptions, output: any Output, terminal: Terminal, log: Logger,
        environment: [String: String], wallTime: @escaping @Sendable () -> Int64 = { WallClock.milliseconds() },
        clocks: @escaping @Sendable () -> ClockReading = { ClockReading.now() },
        connect: @escaping @Sendable () async throws(BusError) -> any Bus
    ) {
        self.wallTime = wallTime
        self.clocks = clocks
        self.loop = loop
        self.options = options
        self.output = output
        self.terminal = terminal
        self.log = log
        self.environment = environment
        self.connect = connect
    }

    /// Creates the environment of the process.
    ///
    /// - Parameter world: the simulated machine to use instead of the real one.
    convenience init(on loop: RunLoop, _ options: GlobalOptions, in world: SimulatedWorld? = nil) {
        let environment = Composition.environment
        let log = Logger.standardError(level: options.level)
        self.init(
            on: loop, options, output: StandardOutput(),
            terminal: .standardOutput(noColor: options.noColor, environment: environment),
            log: log, environment: environment,
            connect: world?.connect ?? Composition.bus(options, on: loop, log: log))
        if let world {
            configuration = .success(Configuration(poll: world.configuration))
            isSimulated = true
        }
    }

    // MARK: Running

    /// Runs a command on the calling thread, until it returns, its time is up, or a signal ends it.
    static func perform(_ command: some ContextCommand) throws {
        let scenario = (command as? any SimulatableCommand)?.simulation.scenario
        try perform(command.options, in: scenario, within: command.timeLimit, endings: command.endings) {
            try await command.run(in: $0)
        }
    }

    /// - Parameters:
    ///   - scenario: the simulated machine to use instead of the real one.
    ///   - limit: the longest time that `body` may take.
    ///   - endings: the signals that end it.
    static func perform(
        _ options: GlobalOptions, in scenario: String? = nil, within limit: Duration?,
        endings: [Int32] = RunLoop.endings,
        body: @escaping @Sendable (CommandContext) async throws -> Void
    ) throws {
        let loop = try RunLoop()
        let world = try scenario.map { name throws(Failure) in
            let file = try options.config == nil ? nil : Composition.loadConfiguration(options)
            return try SimulatedWorld(name, file: file?.configuration.poll, on: loop)
        }
        let context = CommandContext(on: loop, options, in: world)
        try loop.runCommand(endings: endings, onEnd: { number in context.end(.interrupted(number)) }) {
            guard let world else { return try await context.run(within: limit, body) }
            try await world.mounted { try await context.run(within: limit, body) }
        }
    }

    func run(_ command: some ContextCommand) async throws {
        try await run(within: command.timeLimit) { try await command.run(in: $0) }
    }

    func run(within limit: Duration?, _ body: (CommandContext) async throws -> Void) async throws {
        if let limit { loop.schedule(at: loop.now + limit) { self.end(.timedOut) } }
        defer { central?.close() }
        do {
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body(self)) } catch { outcome = .failure(error) }
            await central?.settle()
            try outcome.get()
        } catch is SinkClosed where ending == nil {
            return
        } catch {
            switch ending {
            case .interrupted(let number): throw ExitCode(128 + number)
            case .timedOut: throw Failure(after: limit ?? .zero, while: work)
            case nil: throw (error as? BluetoothError).map { Failure($0) } ?? error
            }
        }
    }

    /// Ends the command: disconnects, and makes its calls in progress throw.
    func end(_ ending: End) {
        if self.ending == nil { self.ending = ending }
        central?.close()
        onEnd?()
        StandardOutput.writer.wake()
        // A command that still hangs then holds no connection.
        let code: Int32 =
            if case .interrupted(let number) = ending { 128 + number } else { Failure.Code.timedOut.rawValue }
        loop.schedule(at: loop.now + Self.maxEnd) { exit(code) }
    }

    /// Called when the command must end.
    var onEnd: (() -> Void)?

    // MARK: Services for commands

    /// Connects to BlueZ.
    ///
    /// - Parameter adapter: the adapter of a device; `nil` for the one in the options or in the configuration.
    func central(on adapter: AdapterChoice? = nil) async throws(Failure) -> Central {
        let choice = adapter ?? options.adapter ?? optionalConfiguration?.poll.adapter
        // An earlier client's connections may still be ending.
        await self.central?.settle()
        self.central?.close()
        do throws(BluetoothError) {
            let central = try await Central.open(choice, on: loop, connect: connect)
            if ending != nil { central.close() }
            self.central = central
            return central
        } catch { throw Failure(error) }
    }

    func bus() async throws(BusError) -> any Bus { try await connect() }

    /// The configuration of the files, `nil` when there are none, or that of a simulated machine; the mistakes in it.
    private lazy var configuration: Result<Configuration?, Failure> = loaded.map { $0?.configuration }

    /// The configuration as the files had it at first.
    private lazy var loaded: Result<LoadedConfiguration?, Failure> = {
        do throws(Failure) {
            let loaded = try Composition.loadConfiguration(options, environment: environment)
            for note in loaded?.notes ?? [] { log.warning("\(note)") }
            return .success(loaded)
        } catch { return .failure(error) }
    }()

    /// Returns the configuration; `nil` when there is none. Throws the mistakes in it.
    func validConfiguration() throws(Failure) -> Configuration? { try configuration.get() }

    /// The configuration; `nil` when there is none, or when it has mistakes. Then a line of the log says so.
    private(set) lazy var optionalConfiguration: Configuration? = {
        do throws(Failure) { return try validConfiguration() } catch {
            let mistakes = error.message.split(separator: "\n")
            let more = mistakes.count > 1 ? "; 'blekeep config check' lists all \(mistakes.count) mistakes" : ""
            log.warning("ignoring the configuration: \(mistakes.first ?? "")\(more)")
            return nil
        }
    }()

    /// The configured devices with their keys. A line of the log says which keys can't be read.
    private(set) lazy var keyedDevices: [DeviceConfiguration] = {
        guard var configuration = optionalConfiguration else { return [] }
        for problem in configuration.readKeys(Credentials(environment: environment)) { log.warning("\(problem)") }
        return configuration.poll.devices
    }()

    /// Reads the configuration again.
    ///
    /// - Parameter check: returns the configuration to use. If it throws, the old one stays.
    /// - Throws: `Failure` for mistakes in the configuration; the error of `check`.
    func reload(_ check: (Configuration?) throws(Failure) -> Configuration) throws(Failure) -> Configuration {
        let new = try check(Composition.loadConfiguration(options, environment: environment)?.configuration)
        (configuration, optionalConfiguration) = (.success(new), new)
        return new
    }

    /// How far a command with several devices is, before what it says of one: `3 of 20: `.
    var step = ""

    /// The recipes in the configuration, and behind them the heads of blekeep's.
    private(set) lazy var recipes: [Recipe] =
        (optionalConfiguration?.poll.recipes ?? []).filter { $0.isOwn && !$0.steps.isEmpty } + RecipeCatalogue.heads

    var layouts: [OwnLayout] { optionalConfiguration?.poll.layouts ?? [] }

    /// The decimals of stored values.
    var decimals: LayoutDecimals { LayoutDecimals(optionalConfiguration) }

    var batteryLimits: BatteryLimits { (optionalConfiguration ?? Configuration()).batteryLimits }

    /// Returns the device with this alias or address.
    func device(_ text: String) throws(Failure) -> DeviceConfiguration {
        // An address needs no configuration. An alias needs one without mistakes.
        if let device = try? DeviceName.resolve(text, among: []) {
            return optionalConfiguration?.poll.devices.first { $0.address == device.address }.map {
                var known = $0
                known.adapter = device.adapter ?? known.adapter
                return known
            } ?? device
        }
        return try DeviceName.resolve(
            text, among: try validConfiguration()?.poll.devices ?? [], isSimulated: isSimulated)
    }

    /// Returns a device's own name, as far as BlueZ knows it.
    func ownName(of address: BluetoothAddress) async -> String? {
        await central?.knownDevices.first { $0.address == address }?.name
    }

    /// Connects to a device, and runs `body` with the connection.
    /// Throws `Failure` for an error of Bluetooth; the error of `body`.
    func withLink<T: Sendable>(
        _ device: DeviceConfiguration, body: @escaping @Sendable (Link) async throws -> T
    ) async throws -> T {
        let central = try await central(on: options.adapter ?? device.adapter)
        log.info("connecting to \(device.name)")
        work = "connecting to \(device.name): it may be off, out of range, or connected to another host"
        defer { if ending == nil { work = nil } }
        ProgressLine.show("\(step)connecting to \(device.name) …", on: terminal)
        defer { ProgressLine.clear(on: terminal) }
        do {
            return try await central.peripheral(device.address).withLink { link in
                ProgressLine.show("\(self.step)reading \(device.name) …", on: self.terminal)
                self.log.info("connected")
                self.work = "waiting for answers of \(device.name)"
                return try await body(link)
            }
        } catch let error as BluetoothError { throw Failure(error, device.address) }
    }
}

extension CommandContext {
    /// Waits for what `body` calls back with. Throws `Failure`; `CancellationError` when the command ends before.
    func answer<Value>(of body: (@escaping (Result<Value, any Error>) -> Void) -> Void) async throws -> Value {
        let gate = Gate(loop)
        let before = onEnd
        onEnd = {
            gate.open()
            before?()
        }
        defer { onEnd = before }
        nonisolated(unsafe) var result: Result<Value, any Error>?
        body {
            result = $0
            gate.open()
        }
        while result == nil, ending == nil { await gate.wait() }
        // The command's end says why.
        guard let result else { throw CancellationError() }
        do { return try result.get() } catch { throw Failure(.allFailed, "\(error)") }
    }
}

/// A command that runs on the main thread's loop.
protocol ContextCommand: OptionsCommand, Sendable {
    /// The longest time that it may take.
    var timeLimit: Duration? { get }
    var endings: [Int32] { get }
    func run(in context: CommandContext) async throws
}

extension ContextCommand {
    var timeLimit: Duration? { options.timeout?.duration }
    var endings: [Int32] { RunLoop.endings }

    func run() throws { try CommandContext.perform(self) }
}
