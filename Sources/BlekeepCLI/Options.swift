import ArgumentParser
import Blekeep
import BlekeepOutputs
import Logging

/// Options that every command which talks to BlueZ takes.
struct GlobalOptions: ParsableArguments {
    @Option(name: [.short, .long], help: "The configuration file, instead of the usual places.")
    var config: String?

    @Option(name: [.short, .long], help: "The adapter: its address, or hciN.")
    var adapter: AdapterChoice?

    @Option(help: ArgumentHelp("The message bus to use, as a D-Bus address.", valueName: "address"))
    var bus: String?

    @Option(help: "How much to say on standard error: error, warning, info, debug, trace.")
    var logLevel: Logger.Level?

    @Flag(name: .shortAndLong, help: "Say more; the same as --log-level debug.")
    var verbose = false

    @Flag(name: .shortAndLong, help: "Say only what went wrong; the same as --log-level error.")
    var quiet = false

    var level: Logger.Level { logLevel ?? (verbose ? .debug : quiet ? .error : .notice) }
}

/// A duration with a unit on the command line, such as `30s`.
struct DurationArgument: ExpressibleByArgument {
    let duration: Duration

    init?(argument: String) {
        guard let duration = try? DurationText.parse(argument) else { return nil }
        self.duration = duration
    }
}

extension AdapterChoice: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(argument)
    }
}

extension LineFormat: ExpressibleByArgument {}

extension Logger.Level: @retroactive ExpressibleByArgument {}
