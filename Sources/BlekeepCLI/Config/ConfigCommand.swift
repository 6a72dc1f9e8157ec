import ArgumentParser
import Blekeep

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Write, check and show the configuration.",
        subcommands: [ConfigInit.self, Check.self, ConfigShow.self])

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Tell every mistake in the configuration, with file, line and column.",
            discussion: """
                Example:
                  blekeep config check -c ./config.yaml
                """)

        @OptionGroup var options: GlobalOptions

        func run() throws {
            guard let loaded = try Composition.loadConfiguration(options) else {
                throw Failure(
                    .badConfiguration,
                    "there is no configuration: 'blekeep config init' writes one, or name a file with -c")
            }
            let count = loaded.configuration.devices.count
            print("\(loaded.files.joined(separator: ", ")): good, \(count) \(count == 1 ? "device" : "devices")")
        }
    }
}
