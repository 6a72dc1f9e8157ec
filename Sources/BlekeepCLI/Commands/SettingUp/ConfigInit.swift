import ArgumentParser
import BlekeepConfiguration
import BlekeepOutputs

struct ConfigInit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write a first configuration file, with comments.",
        discussion: """
            The file is /etc/blekeep/config.yaml for root, ~/.config/blekeep/config.yaml for other users, or the one \
            that -c names. An existing file stays as it is.

            Examples:
              blekeep config init
              blekeep config init --print
            """)

    @Flag(help: "Print the file instead of writing it.")
    var print = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var place: ConfigurationOption

    func run() throws {
        guard !print else {
            let object: JSON = .object(["state": "printed", "configuration": .text(Self.text)])
            return try StandardOutput().write(json ? "\(object.text)\n" : Self.text)
        }
        let environment = Composition.environment
        let file = place.config ?? EnvironmentVariable.config.value(in: environment)
        let loader = ConfigurationLoader(file: file, environment: environment, names: Composition.characteristicNames)
        guard let folder = loader.folders.first else {
            throw Failure(.badConfiguration, "there is no place for a configuration: set HOME, or name a file with -c")
        }
        let path = file ?? "\(folder)/config.yaml"
        try NewFile.write(Self.text, to: path)
        let object: JSON = .object(["state": "written", "file": .text(path)])
        try StandardOutput().line(json ? object.text : "wrote \(Untrusted.whole(path))")
    }

    static let introduction = """
        What blekeep reads, and how. 'blekeep config check' finds mistakes, 'blekeep config show' shows all settings.
        'blekeep add DEV' writes the configuration of a device to a file of its own in conf.d.
        """

    /// `#` and two spaces, or none, begin a setting. `#` and one space begin a remark.
    static var text: String {
        let hint = "To change a setting, remove the # before it. The value is the default, or an example."
        let head = "\(introduction)\n\(hint)".split(separator: "\n").map { "# \($0)\n" }.joined()
        return head
            + ConfigurationTemplate.parts.map { part in
                // With one setting in force, the file has the form that a user extends.
                let mark = part.key == "interval" ? "" : "#"
                return "\n# \(part.remark)\n" + part.lines.map { "\(mark)\($0)\n" }.joined()
            }.joined()
    }
}
