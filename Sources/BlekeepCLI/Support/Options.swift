import ArgumentParser
import Blekeep
import BlekeepOutputs
import Logging

/// The options of every command. Environment variables such as `BLEKEEP_ADAPTER` set options that aren't given.
struct GlobalOptions: ParsableArguments {
    @Option(
        name: [.short, .long], help: "The configuration file, instead of the usual places.",
        completion: .file(extensions: ["yaml"]))
    var config: String?

    @Option(name: [.short, .long], help: "The adapter: its address, or hciN.", completion: .adapter)
    var adapter: AdapterChoice?

    @Option(help: ArgumentHelp("The message bus to use, as a D-Bus address.", valueName: "address"))
    var bus: String?

    @Flag(help: "Print JSON, one object a line.")
    var json = false

    @Option(
        help: "Stop after this time, such as 10s. An unfinished command exits with 124.",
        transform: DurationArgument.init(parsing:))
    var timeout: DurationArgument?

    @Option(help: "The least severe level to log on standard error.")
    var logLevel: LogLevelArgument?

    @Flag(name: .shortAndLong, help: "Log more: -v is --log-level debug, -vv is verbose.")
    var verbose: Int

    @Flag(name: .shortAndLong, help: "Log only errors, as --log-level error does.")
    var quiet = false

    @Flag(help: "Print no colors.")
    var noColor = false

    var level: Logger.Level {
        if let logLevel { return logLevel.level }
        if quiet { return .error }
        return verbose == 0 ? .notice : verbose == 1 ? .debug : .trace
    }

    mutating func validate() throws {
        do { try fill(from: Composition.environment) } catch { throw ValidationError(error.message) }
        if config?.isEmpty == true { throw ValidationError("-c needs the name of a file") }
        if bus?.isEmpty == true { throw ValidationError("--bus needs an address, such as unix:path=/run/dbus/…") }
        if let timeout, timeout.duration <= .zero { throw ValidationError("--timeout must be above 0s") }
        if quiet, verbose > 0 { throw ValidationError("-q and -v exclude each other") }
    }

    /// The configuration file from `-c` or the environment; `nil` for the usual places.
    func configurationFile(in environment: [String: String]) -> String? {
        config ?? EnvironmentVariable.config.value(in: environment)
    }

    /// Takes the options that aren't given from the environment, except the configuration file.
    ///
    /// - Throws: a failure that names a malformed variable.
    mutating func fill(from environment: [String: String]) throws(Failure) {
        bus = bus ?? EnvironmentVariable.bus.value(in: environment)
        if adapter == nil {
            adapter = try Self.value(.adapter, environment, "hci0 or an address") { AdapterChoice($0) }
        }
        if timeout == nil {
            timeout = try Self.value(.timeout, environment, "such as 10s") { try? DurationArgument(parsing: $0) }
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
        throw Failure(.usage, "the variable \(variable.rawValue) is '\(Untrusted(text))'; write \(wanted)")
    }
}

/// A command with the common options.
protocol OptionsCommand: ParsableCommand {
    var options: GlobalOptions { get }
}

/// A duration on the command line or in the environment, such as `30s`; a bare number is seconds.
struct DurationArgument: Sendable {
    let duration: Duration

    /// - Throws: a sentence that says how to write a duration.
    init(parsing text: String) throws(DurationTextError) { duration = try DurationText.parse(text) }
}

/// A log level. `verbose` is the name of `trace` in iOS programs.
struct LogLevelArgument: ExpressibleByArgument, Sendable {
    let level: Logger.Level

    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
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
