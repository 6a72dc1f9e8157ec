import ArgumentParser
import BlekeepConfiguration
import Yams

/// The manual pages for `man`. The parser's description of the commands and the first configuration file have their texts.
struct ManPage: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual", abstract: "Print a manual page: blekeep(1) or blekeep.yaml(5).",
        discussion: """
            Examples:
              blekeep manual | sudo tee /usr/share/man/man1/blekeep.1 >/dev/null
              blekeep manual blekeep.yaml | man -l -
            """)

    @Argument(help: "blekeep, or blekeep.yaml for the configuration file.")
    var page = Page.program

    enum Page: String, ExpressibleByArgument, CaseIterable {
        case program = "blekeep"
        case configuration = "blekeep.yaml"
    }

    func run() throws {
        switch page {
        case .configuration: try StandardOutput().write(ConfigurationManPage.text)
        case .program:
            // The parser's description is JSON, which is also YAML.
            guard let root = try Yams.compose(yaml: Blekeep._dumpHelp())?.mapping?["command"] else { return }
            try StandardOutput().write(Self.text(root))
        }
    }

    static func text(_ root: Node) -> String {
        let commands = root.list("subcommands")
        let common = common(of: commands)
        var lines = [
            Roff.title("BLEKEEP", section: 1, manual: "User Commands"), ".SH NAME",
            "blekeep \\- \(Roff.escaped(root.text("abstract")))", ".SH SYNOPSIS", ".B blekeep", ".I command",
            "[options]",
            ".SH DESCRIPTION", Roff.escaped(Self.description), ".SH COMMANDS",
        ]
        for command in commands { lines += section(command, parent: "blekeep", common: common) }
        lines += [".SH OPTIONS OF MOST COMMANDS"] + common.flatMap { entry($0) }
        lines += [".SH ENVIRONMENT"] + Roff.list(Self.variables)
        lines += [".SH FILES"] + Roff.list(Self.files)
        lines += [".SH EXIT STATUS"] + Roff.list(RootHelp.exitCodes.map { ("\($0.code)", $0.meaning) })
        lines += [".SH EXAMPLES"] + Roff.list(RootHelp.examples.map { ($0.command, $0.meaning) })
        lines += [
            ".SH SEE ALSO",
            Roff.escaped("blekeep.yaml(5), bluetoothctl(1), bluetoothd(8), busctl(1), journalctl(1), systemctl(1)"),
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static let description = """
        blekeep reads the sensors of its configuration at intervals, and stores their values. 'blekeep help COMMAND' shows \
        the help of a command. Where a command takes DEV, write a device's alias, its address, adapter/address, or \
        tag:NAME for all devices with that tag.
        """

    private static let variables = [
        ("BLEKEEP_CONFIG", "The configuration file, in place of -c."),
        ("BLEKEEP_GATEWAY", "This gateway's name, in place of the one in the configuration."),
        ("NO_COLOR", "No colors."),
    ]

    private static let files = [
        ("/etc/blekeep/config.yaml, /etc/blekeep/conf.d/*.yaml", "The configuration: see blekeep.yaml(5)."),
        ("~/.config/blekeep", "The configuration of another user."),
        ("/var/lib/blekeep/history.sqlite", "The history of the service and of root."),
        ("~/.local/state/blekeep/history.sqlite", "The history of a user."),
    ]

    /// The options that more than half of the commands have.
    private static func common(of commands: [Node]) -> [Node] {
        let all = commands.flatMap { $0.list("arguments") }.filter { $0.text("shouldDisplay") == "true" }
        var common: [Node] = []
        for argument in all
        where !common.contains(argument) && all.count(where: { $0 == argument }) > commands.count / 2 {
            common.append(argument)
        }
        return common
    }

    private static func section(_ command: Node, parent: String, common: [Node]) -> [String] {
        let name = "\(parent) \(command.text("commandName"))"
        guard command.text("commandName") != "help" else { return [] }
        let arguments = command.list("arguments").filter { $0.text("shouldDisplay") == "true" && !common.contains($0) }
        var lines = [".SS \(Roff.escaped(name))", Roff.escaped(command.text("abstract"))]
        if !command.text("discussion").isEmpty { lines += Roff.discussion(command.text("discussion")) }
        lines += arguments.flatMap { entry($0) }
        return lines + command.list("subcommands").flatMap { section($0, parent: name, common: common) }
    }

    private static func entry(_ argument: Node) -> [String] {
        let names = argument.list("names").map { ($0.text("kind") == "long" ? "--" : "-") + $0.text("name") }
        let value = argument.text("kind") == "flag" ? "" : "\\fI\(Roff.escaped(argument.text("valueName")))\\fR"
        let label = names.map { "\\fB\(Roff.escaped($0))\\fR" }.joined(separator: ", ")
        return [
            ".TP", [label, value].filter { !$0.isEmpty }.joined(separator: " "),
            Roff.escaped(argument.text("abstract")),
        ]
    }
}

extension Node {
    fileprivate func text(_ key: String) -> String { mapping?[key]?.scalar?.string ?? "" }
    fileprivate func list(_ key: String) -> [Node] { mapping?[key]?.sequence.map { Array($0) } ?? [] }
}

/// The manual page of the configuration file: the file that `config init` writes, part by part.
enum ConfigurationManPage {
    static var text: String {
        var lines = [
            Roff.title("BLEKEEP.YAML", section: 5, manual: "File Formats"), ".SH NAME",
            "blekeep.yaml \\- the configuration of blekeep", ".SH DESCRIPTION",
            Roff.escaped(ConfigInit.introduction.replacing("\n", with: " ")),
            ".PP",
            Roff.escaped(Self.format), ".SH KEYS",
        ]
        for part in ConfigurationTemplate.parts {
            lines += [".SS \(Roff.escaped(part.key))", Roff.escaped(part.remark), ".PP"]
            lines += Roff.block(part.lines.joined(separator: "\n"))
        }
        lines += [".SH FILES"] + Roff.list(files)
        lines += [
            ".SH EXAMPLES", ".nf", "devices:", "  \\- address: F0:00:00:00:00:01", "    alias: greenhouse", ".fi",
            ".SH SEE ALSO", "blekeep(1)",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static let format = """
        The file is YAML. A duration is a whole number with the unit d, h, m, s or ms, such as 1h30m. A size has a unit such \
        as MiB. A key that isn't set has its default. The settings below are the defaults, or examples. An unknown key is a \
        mistake.
        """

    private static let files = [
        ("/etc/blekeep/config.yaml", "The file of the service and of root."),
        ("/etc/blekeep/conf.d/*.yaml", "Further files, in the order of their names: their devices and layouts add up."),
        ("~/.config/blekeep/config.yaml, ~/.config/blekeep/conf.d/*.yaml", "The same for other users."),
    ]
}
