import ArgumentParser
import Blekeep
import BlekeepOutputs
import DBus
import Glibc
import Logging
import RunLoop

/// What a command works with: everything outside of it, so that a test can put something else in its place.
final class CommandContext: @unchecked Sendable {
    let loop: RunLoop
    let options: GlobalOptions
    let output: any Output
    let terminal: Terminal
    let log: Logger
    let environment: [String: String]
    /// Milliseconds since 1970, as readings have it.
    let wallTime: @Sendable () -> Int64
    let clocks: @Sendable () -> ClockReading
    private let connect: @Sendable () async throws(BusError) -> any Bus
    private var central: Central?

    /// What ends a command from outside.
    enum End: Equatable {
        case interrupted(Int32)
        case timedOut
    }

    private(set) var ending: End?

    /// How long a command has when it is to end.
    static let longestEnd: Duration = .milliseconds(1800)

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

    /// The real surroundings.
    convenience init(on loop: RunLoop, _ options: GlobalOptions) {
        let environment = Composition.environment
        let address = Composition.busAddress(options)
        self.init(
            on: loop, options, output: StandardOutput(),
            terminal: .standardOutput(noColor: options.noColor, environment: environment),
            log: .standardError(level: options.level), environment: environment
        ) { () async throws(BusError) in try await LibdbusBus.connect(to: address, on: loop) }
    }

    // MARK: Running

    /// Runs a command on the calling thread, until it is done, its time is up, or somebody ends it.
    static func perform(_ command: some ContextCommand) throws {
        let loop = try RunLoop()
        let context = CommandContext(on: loop, command.options)
        try loop.runCommand(onEnd: { number in context.end(.interrupted(number)) }) {
            try await context.run(command)
        }
    }

    func run(_ command: some ContextCommand) async throws {
        if let limit = command.timeLimit { loop.schedule(at: loop.now + limit) { self.end(.timedOut) } }
        defer { central?.close() }
        do {
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await command.run(in: self)) } catch { outcome = .failure(error) }
            await central?.settle()
            try outcome.get()
        } catch is SinkClosed where ending == nil {
            return
        } catch {
            switch ending {
            case .interrupted(let number): throw ExitCode(128 + number)
            case .timedOut: throw Failure(.timedOut, "it was not done within \(limitText(command))")
            case nil: throw (error as? BluetoothError).map { Failure($0) } ?? error
            }
        }
    }

    private func limitText(_ command: some ContextCommand) -> String {
        command.timeLimit.map { DurationText.text($0) } ?? "its time"
    }

    /// Ends the command: links are closed, and what waits throws.
    func end(_ ending: End) {
        if self.ending == nil { self.ending = ending }
        central?.close()
        onEnd?()
        StandardOutput.writer.wake()
        // Whatever hangs then has no link any more, and holds nothing.
        let code: Int32 =
            if case .interrupted(let number) = ending { 128 + number } else { Failure.Code.timedOut.rawValue }
        loop.schedule(at: loop.now + Self.longestEnd) { exit(code) }
    }

    /// Called when the command is to end.
    var onEnd: (() -> Void)?

    // MARK: What commands ask for

    /// - Parameter adapter: a device's own; `nil` for the one of the options or of the configuration.
    func central(on adapter: AdapterChoice? = nil) async throws(Failure) -> Central {
        let choice = adapter ?? options.adapter ?? optionalConfiguration?.adapter
        do throws(BluetoothError) {
            let central = try await Central.open(choice, on: loop, connect: connect)
            if ending != nil { central.close() }
            self.central = central
            return central
        } catch { throw Failure(error) }
    }

    func bus() async throws(BusError) -> any Bus { try await connect() }

    /// The configuration where there is a good one; a broken one is told, and not used.
    private(set) lazy var optionalConfiguration: Configuration? = {
        do {
            return try Composition.loadConfiguration(options, environment: environment)?.configuration
        } catch {
            log.warning("the configuration is not used; 'blekeep config check' says what is wrong with it")
            return nil
        }
    }()

    /// The layouts of somebody's own.
    var layouts: [OwnLayout] { optionalConfiguration?.layouts ?? [] }

    /// The device that a person means.
    func device(_ text: String) throws(Failure) -> DeviceConfiguration {
        // An address needs no configuration; an alias needs a good one.
        if let device = try? DeviceName.resolve(text, among: []) {
            return optionalConfiguration?.devices.first { $0.address == device.address }.map {
                var known = $0
                known.adapter = device.adapter ?? known.adapter
                return known
            } ?? device
        }
        let configuration = try Composition.loadConfiguration(options, environment: environment)?.configuration
        return try DeviceName.resolve(text, among: configuration?.devices ?? [])
    }

    /// Connects to a device, and runs `body` with the connection.
    ///
    /// - Throws: `Failure` for an error of Bluetooth; the error of `body`.
    func withLink<T: Sendable>(
        _ device: DeviceConfiguration, _ body: @escaping @Sendable (Link) async throws -> T
    ) async throws -> T {
        let central = try await central(on: options.adapter ?? device.adapter)
        log.info("connecting to \(device.name)")
        ProgressLine.show("connecting to \(device.name) …", on: terminal)
        defer { ProgressLine.clear(on: terminal) }
        do {
            return try await central.peripheral(device.address).withLink { link in
                ProgressLine.clear(on: self.terminal)
                self.log.info("connected")
                return try await body(link)
            }
        } catch let error as BluetoothError { throw Failure(error, device.address) }
    }
}

/// A command that runs in a context: on the main thread's loop.
protocol ContextCommand: OptionsCommand, Sendable {
    /// How long it may take.
    var timeLimit: Duration? { get }
    func run(in context: CommandContext) async throws
}

extension ContextCommand {
    var timeLimit: Duration? { options.timeout?.duration }

    func run() throws { try CommandContext.perform(self) }
}
