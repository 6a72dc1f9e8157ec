import ArgumentParser
import Blekeep

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Look at the configuration.", subcommands: [Check.self])

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Tell every mistake in the configuration, with file, line and column.")

        @OptionGroup var options: GlobalOptions

        func run() throws {
            guard let loaded = try Composition.loadConfiguration(options) else {
                throw Failure(
                    .badConfiguration,
                    "there is no configuration: write /etc/blekeep/config.yaml, or name a file with -c")
            }
            let count = loaded.configuration.devices.count
            print("\(loaded.files.joined(separator: ", ")): good, \(count) \(count == 1 ? "device" : "devices")")
        }
    }
}
