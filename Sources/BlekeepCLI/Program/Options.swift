import ArgumentParser
import Blekeep
import Logging

struct ConfigurationOption: ParsableArguments {
    @Option(
        name: [.short, .long], help: "The configuration file, instead of the usual places.",
        completion: .file(extensions: ["yaml"]))
    var config: String?

    func validate() throws {
        if config?.isEmpty == true { throw ValidationError("-c needs the name of a file") }
    }
}

/// The options for the time and the log of every command.
struct ProcessOptions: ParsableArguments {
    @Option(
        help: "Stop after this time, such as 10s. An unfinished command exits with 124.",
        transform: DurationArgument.init(parsing:))
    var timeout: DurationArgument?

    @Option(help: "The least severe level to log on standard error.")
    var logLevel: Logger.Level?

    @Flag(name: .shortAndLong, help: "Log more: -v is --log-level debug, -vv is trace.")
    var verbose: Int

    @Flag(name: .shortAndLong, help: "Log only errors, as --log-level error does.")
    var quiet = false

    @Flag(help: "Print no colors.")
    var noColor = false

    func validate() throws {
        if let timeout, timeout.duration <= .zero { throw ValidationError("--timeout must be above 0s") }
        if quiet, verbose > 0 { throw ValidationError("-q and -v exclude each other") }
    }
}

/// The options of every command that prints anything.
struct CommonOptions: ParsableArguments {
    @OptionGroup var file: ConfigurationOption

    @Flag(help: "Print JSON, one object a line.")
    var json = false

    @OptionGroup var process: ProcessOptions

    func options(adapter: AdapterChoice? = nil, bus: String? = nil) -> GlobalOptions {
        GlobalOptions(config: file.config, json: json, process: process, adapter: adapter, bus: bus)
    }
}

struct BusOption: ParsableArguments {
    @Option(help: ArgumentHelp("The message bus to use, as a D-Bus address.", valueName: "address"))
    var bus: String?

    func validate() throws {
        if bus?.isEmpty == true { throw ValidationError("--bus needs an address, such as unix:path=/run/dbus/…") }
    }
}

struct AdapterOption: ParsableArguments {
    @Option(name: [.short, .long], help: "The adapter: its address, or hciN.", completion: .adapter)
    var adapter: AdapterChoice?
}

/// The options of a command of any kind.
///
/// This is no group of options, because ArgumentParser's checks in debug builds take four times as long for each level of
/// groups.
struct GlobalOptions {
    var config: String?
    var json = false
    var process: ProcessOptions
    /// `nil` also for a command that needs none.
    var adapter: AdapterChoice?
    /// `nil` also for a command that needs no message bus.
    var bus: String?

    /// The options without any argument.
    static var usual: GlobalOptions {
        get throws { GlobalOptions(process: try ProcessOptions.parse([])) }
    }

    var timeout: DurationArgument? { process.timeout }
    var noColor: Bool { process.noColor }

    var level: Logger.Level {
        if let level = process.logLevel { return level }
        if process.quiet { return .error }
        return process.verbose == 0 ? .notice : process.verbose == 1 ? .debug : .trace
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
    var options: GlobalOptions { common.options() }
}

/// A command that uses the running poller, and so takes no adapter.
protocol PollerCommand: OptionsCommand {
    var common: CommonOptions { get }
    var bus: BusOption { get }
}

extension PollerCommand {
    var options: GlobalOptions { common.options(bus: bus.bus) }
}

protocol BluetoothCommand: OptionsCommand {
    var common: CommonOptions { get }
    var adapter: AdapterOption { get }
    var bus: BusOption { get }
}

extension BluetoothCommand {
    var options: GlobalOptions { common.options(adapter: adapter.adapter, bus: bus.bus) }
}

protocol OptionsCommand: ParsableCommand {
    var options: GlobalOptions { get }
}

extension ArgumentHelp {
    /// A device that need not be configured.
    static var device: Self {
        Self("The device: its alias, address or own name, or adapter/address.", valueName: "dev")
    }

    static var devices: Self { Self("The devices: aliases, addresses, tag:NAME, or all.", valueName: "dev") }
}

/// A duration on the command line or in the environment, such as `30s`; a bare number is seconds.
struct DurationArgument: Sendable {
    let duration: Duration

    /// - Throws: a sentence that says how to write a duration.
    init(parsing text: String) throws(UserError) { duration = try DurationText.parse(text) }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

extension AdapterChoice: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
