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
            var parts = [Self.count(loaded.configuration.devices.count, "device")]
            if !loaded.configuration.layouts.isEmpty {
                parts.append(Self.count(loaded.configuration.layouts.count, "layout"))
                parts.append(Self.count(loaded.layoutTests, "layout test"))
            }
            print("\(loaded.files.joined(separator: ", ")): good, \(parts.joined(separator: ", "))")
        }

        private static func count(_ number: Int, _ what: String) -> String {
            "\(number) \(what)\(number == 1 ? "" : "s")"
        }
    }
}
