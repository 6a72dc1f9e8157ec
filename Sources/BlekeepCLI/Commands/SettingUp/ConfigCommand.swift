import ArgumentParser
import Blekeep
import BlekeepOutputs

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Write, check and show the configuration.",
        subcommands: [ConfigInit.self, Check.self, ConfigShow.self])

    struct Check: FileCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Report every mistake in the configuration, with file, line and column.",
            discussion: """
                Example:
                  blekeep config check -c ./config.yaml
                """)

        @OptionGroup var common: CommonOptions

        func run() throws {
            guard let loaded = try Composition.loadConfiguration(options) else {
                throw Failure.noConfiguration
            }
            var parts = [Self.count(loaded.configuration.devices.count, "device")]
            if !loaded.configuration.layouts.isEmpty {
                parts.append(Self.count(loaded.configuration.layouts.count, "layout"))
                parts.append(Self.count(loaded.layoutTests, "layout test"))
            }
            let files = loaded.files.map(Untrusted.whole).joined(separator: ", ")
            print("\(files): good, \(parts.joined(separator: ", "))")
            for line in loaded.configuration.airEstimates { print(line) }
        }

        private static func count(_ number: Int, _ what: String) -> String {
            "\(number) \(what)\(number == 1 ? "" : "s")"
        }
    }
}
