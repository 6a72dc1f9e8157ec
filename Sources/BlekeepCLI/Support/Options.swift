import ArgumentParser
import Blekeep
import BlekeepOutputs
import Logging

/// The option for the configuration file.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: [.short, .long], help: "The configuration file, instead of the usual places.",
        completion: .file(extensions: ["yaml"]))
    var config: String?

    func validate() throws {
        if config?.isEmpty == true { throw ValidationError("-c needs the name of a file") }
    }
}

/// The options for the time and the log of every command. Environment variables such as `BLEKEEP_TIMEOUT` set options that
/// aren't given.
struct ProcessOptions: ParsableArguments {
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

    mutating func validate() throws {
        do { try fill(from: Composition.environment) } catch { throw ValidationError(error.message) }
        if let timeout, timeout.duration <= .zero { throw ValidationError("--timeout must be above 0s") }
        if quiet, verbose > 0 { throw ValidationError("-q and -v exclude each other") }
    }

    /// Takes the options that aren't given from the environment, except the configuration file.
    ///
    /// - Throws: a failure that names a malformed variable.
    mutating func fill(from environment: [String: String]) throws(Failure) {
        if timeout == nil {
            timeout = try EnvironmentVariable.timeout.value(in: environment, wanted: "such as 10s") {
                try? DurationArgument(parsing: $0)
            }
        }
        if logLevel == nil, !quiet, verbose == 0 {
            logLevel = try EnvironmentVariable.logLevel.value(in: environment, wanted: "such as debug") {
                LogLevelArgument(argument: $0)
            }
        }
    }
}

/// The options of every command that prints anything.
struct CommonOptions: ParsableArguments {
    @OptionGroup var file: ConfigurationOption

    @Flag(help: "Print JSON, one object a line.")
    var json = false

    @OptionGroup var process: ProcessOptions
}

extension CommonOptions {
    /// Returns the options of a command that prints nothing.
    ///
    /// This isn't an initializer, because Swift 6.2 can't compile one that delegates and then sets a wrapped property.
    static func withoutOutput(_ file: ConfigurationOption, process: ProcessOptions) -> CommonOptions {
        var options = CommonOptions()
        options.file = file
        options.process = process
        options.json = false
        return options
    }
}

/// The option for the message bus.
struct BusOption: ParsableArguments {
    @Option(help: ArgumentHelp("The message bus to use, as a D-Bus address.", valueName: "address"))
    var bus: String?

    mutating func validate() throws {
        fill(from: Composition.environment)
        if bus?.isEmpty == true { throw ValidationError("--bus needs an address, such as unix:path=/run/dbus/…") }
    }

    /// As `ProcessOptions` does.
    mutating func fill(from environment: [String: String]) {
        bus = bus ?? EnvironmentVariable.bus.value(in: environment)
    }
}

/// The options of a command that uses Bluetooth.
struct GlobalOptions: ParsableArguments {
    @OptionGroup var common: CommonOptions

    @Option(name: [.short, .long], help: "The adapter: its address, or hciN.", completion: .adapter)
    var adapter: AdapterChoice?

    @OptionGroup var message: BusOption

    mutating func validate() throws {
        do { try fill(from: Composition.environment) } catch { throw ValidationError(error.message) }
    }

    /// As `ProcessOptions` does.
    mutating func fill(from environment: [String: String]) throws(Failure) {
        try common.process.fill(from: environment)
        message.fill(from: environment)
        if adapter == nil {
            adapter = try EnvironmentVariable.adapter.value(in: environment, wanted: "hci0 or an address") {
                AdapterChoice($0)
            }
        }
    }
}

extension GlobalOptions {
    /// Returns the options of a command that needs no adapter.
    ///
    /// - Parameter bus: `nil` for a command that needs no message bus either.
    static func withoutAdapter(_ common: CommonOptions, bus: BusOption? = nil) -> GlobalOptions {
        var options = GlobalOptions()
        options.common = common
        options.adapter = nil
        options.message = bus ?? BusOption()
        if bus == nil { options.message.bus = nil }
        return options
    }

    var bus: String? { message.bus }
    var config: String? {
        get { common.file.config }
        set { common.file.config = newValue }
    }
    var json: Bool { common.json }
    var timeout: DurationArgument? { common.process.timeout }
    var logLevel: LogLevelArgument? { common.process.logLevel }
    var verbose: Int { common.process.verbose }
    var quiet: Bool { common.process.quiet }
    var noColor: Bool { common.process.noColor }

    var level: Logger.Level {
        if let logLevel { return logLevel.level }
        if quiet { return .error }
        return verbose == 0 ? .notice : verbose == 1 ? .debug : .trace
    }

    /// The configuration file from `-c` or the environment; `nil` for the usual places.
    func configurationFile(in environment: [String: String]) -> String? {
        config ?? EnvironmentVariable.config.value(in: environment)
    }
}

/// A command that reads only files, and so takes neither an adapter nor a message bus.
protocol FileCommand: OptionsCommand {
    var common: CommonOptions { get }
}

extension FileCommand {
    var options: GlobalOptions { .withoutAdapter(common) }
}

/// A command that uses the running poller, and so takes no adapter.
protocol PollerCommand: OptionsCommand {
    var common: CommonOptions { get }
    var bus: BusOption { get }
}

extension PollerCommand {
    var options: GlobalOptions { .withoutAdapter(common, bus: bus) }
}

/// A command with the common options.
protocol OptionsCommand: ParsableCommand {
    var options: GlobalOptions { get }
}

/// A duration on the command line or in the environment, such as `30s`; a bare number is seconds.
struct DurationArgument: Sendable {
    let duration: Duration

    /// - Throws: a sentence that says how to write a duration.
    init(parsing text: String) throws(UserError) { duration = try DurationText.parse(text) }
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
