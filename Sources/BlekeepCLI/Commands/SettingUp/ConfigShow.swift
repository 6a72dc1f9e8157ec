import ArgumentParser
import Blekeep

struct ConfigShow: OptionsCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print all settings, and where each comes from.",
        discussion: """
            Example:
              blekeep config show
            """)

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let view = try ConfigurationView(options, environment: Composition.environment)
        try StandardOutput().write(options.json ? view.json.text + "\n" : view.lines.joined(separator: "\n") + "\n")
    }
}
