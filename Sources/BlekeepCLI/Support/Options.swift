import ArgumentParser
import Blekeep
import BlekeepOutputs
import Logging

/// Options that every command takes. What is not said may be in the environment: `BLEKEEP_ADAPTER` and so on.
struct GlobalOptions: ParsableArguments {
    @Option(name: [.short, .long], help: "The configuration file, instead of the usual places.")
    var config: String?

    @Option(name: [.short, .long], help: "The adapter: its address, or hciN.")
    var adapter: AdapterChoice?

    @Option(help: ArgumentHelp("The message bus to use, as a D-Bus address.", valueName: "address"))
    var bus: String?

    @Flag(help: "Print JSON, one object a line.")
    var json = false

    @Option(help: "Stop after this time, such as 10s. An unfinished command exits with 124.")
    var timeout: DurationArgument?

    @Option(help: "How much to say on standard error.")
    var logLevel: LogLevelArgument?

    @Flag(name: .shortAndLong, help: "Say more: -v is --log-level debug, -vv is verbose.")
    var verbose: Int

    @Flag(name: .shortAndLong, help: "Say only what went wrong; the same as --log-level error.")
    var quiet = false

    @Flag(help: "No colours and no drawing, also on a terminal.")
    var noColor = false

    var level: Logger.Level {
        if let logLevel { return logLevel.level }
        if quiet { return .error }
        return verbose == 0 ? .notice : verbose == 1 ? .debug : .trace
    }

    mutating func validate() throws {
        do { try fill(from: Composition.environment) } catch { throw ValidationError(error.message) }
        if config?.isEmpty == true { throw ValidationError("-c wants the name of a file") }
        if bus?.isEmpty == true { throw ValidationError("--bus wants an address, such as unix:path=/run/dbus/…") }
        if let timeout, timeout.duration <= .zero { throw ValidationError("--timeout wants something above 0s") }
        if quiet, verbose > 0 { throw ValidationError("-q and -v exclude each other") }
    }

    /// Takes what the command line leaves open from the environment.
    ///
    /// - Throws: a failure that names the variable that cannot be understood.
    mutating func fill(from environment: [String: String]) throws(Failure) {
        config = config ?? EnvironmentVariable.config.value(in: environment)
        bus = bus ?? EnvironmentVariable.bus.value(in: environment)
        if adapter == nil {
            adapter = try Self.value(.adapter, environment, "hci0 or an address") { AdapterChoice($0) }
        }
        if timeout == nil {
            timeout = try Self.value(.timeout, environment, "such as 10s", DurationArgument.init)
        }
        if logLevel == nil, !quiet, verbose == 0 {
            logLevel = try Self.value(.logLevel, environment, "such as debug", LogLevelArgument.init)
        }
    }

    private static func value<Value>(
        _ variable: EnvironmentVariable, _ environment: [String: String], _ wanted: String, _ make: (String) -> Value?
    ) throws(Failure) -> Value? {
        guard let text = variable.value(in: environment) else { return nil }
        if let value = make(text) { return value }
        throw Failure(.usage, "the variable \(variable.rawValue) is '\(Untrusted(text))'; it wants \(wanted)")
    }
}

/// A command that takes the options of all.
protocol OptionsCommand: ParsableCommand {
    var options: GlobalOptions { get }
}

/// A duration on the command line or in the environment, such as `30s`; a bare number is seconds.
struct DurationArgument: ExpressibleByArgument, Sendable {
    let duration: Duration

    init(_ duration: Duration) {
        self.duration = duration
    }

    /// How a help text writes it, where it is the default.
    var defaultValueDescription: String { DurationText.text(duration) }

    init?(argument: String) {
        guard let duration = try? DurationText.parse(argument) else { return nil }
        self.duration = duration
    }
}

/// A level by its name. `verbose`, as iOS programs have it, is `trace`.
struct LogLevelArgument: ExpressibleByArgument, Sendable {
    let level: Logger.Level

    static let allValueStrings = ["error", "warning", "notice", "info", "debug", "verbose"]

    init?(argument: String) {
        guard let level = argument == "verbose" ? .trace : Logger.Level(rawValue: argument) else { return nil }
        self.level = level
    }
}

extension AdapterChoice: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(argument)
    }
}

extension LineFormat: ExpressibleByArgument {}
