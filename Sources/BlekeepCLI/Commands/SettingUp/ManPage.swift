import ArgumentParser
import Yams

/// The manual page for `man`, made from the parser's description of the commands.
struct ManPage: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual", abstract: "Print the manual page.",
        discussion: """
            Example:
              blekeep manual | sudo tee /usr/share/man/man1/blekeep.1 >/dev/null
            """)

    func run() throws {
        // The parser's description is JSON, which is also YAML.
        guard let root = try Yams.compose(yaml: Blekeep._dumpHelp())?.mapping?["command"] else { return }
        try StandardOutput().write(Self.text(root))
    }

    static func text(_ root: Node) -> String {
        var lines = [
            ".TH BLEKEEP 1 \"\" \"blekeep \(Version.text)\" \"User Commands\"", ".SH NAME",
            "blekeep \\- \(escaped(root.text("abstract")))", ".SH SYNOPSIS", ".B blekeep", ".I command", "[options]",
            ".SH DESCRIPTION", ".nf", block(root.text("discussion")), ".fi", ".SH COMMANDS",
        ]
        let commands = root.list("subcommands")
        let common = common(of: commands)
        for command in commands { lines += section(command, "blekeep", common) }
        lines += [".SH OPTIONS OF ALL COMMANDS"] + common.flatMap { entry($0) }
        lines += [
            ".SH ENVIRONMENT", ".TP",
            "BLEKEEP_CONFIG, BLEKEEP_ADAPTER, BLEKEEP_BUS, BLEKEEP_TIMEOUT, BLEKEEP_LOG_LEVEL",
            "Defaults of the options with these names.", ".TP", "NO_COLOR", "No colors.",
            ".SH FILES", "/etc/blekeep/config.yaml, /etc/blekeep/conf.d/*.yaml, ~/.config/blekeep",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

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

    private static func section(_ command: Node, _ parent: String, _ common: [Node]) -> [String] {
        let name = "\(parent) \(command.text("commandName"))"
        guard command.text("commandName") != "help" else { return [] }
        let arguments = command.list("arguments").filter { $0.text("shouldDisplay") == "true" && !common.contains($0) }
        var lines = [".SS \(escaped(name))", escaped(command.text("abstract"))]
        if !command.text("discussion").isEmpty { lines += [".PP", ".nf", block(command.text("discussion")), ".fi"] }
        lines += arguments.flatMap { entry($0) }
        return lines + command.list("subcommands").flatMap { section($0, name, common) }
    }

    private static func entry(_ argument: Node) -> [String] {
        let names = argument.list("names").map { ($0.text("kind") == "long" ? "--" : "-") + $0.text("name") }
        let value = argument.text("kind") == "flag" ? "" : "\\fI\(escaped(argument.text("valueName")))\\fR"
        let label = names.map { "\\fB\(escaped($0))\\fR" }.joined(separator: ", ")
        return [
            ".TP", [label, value].filter { !$0.isEmpty }.joined(separator: " "), escaped(argument.text("abstract")),
        ]
    }

    private static func block(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { escaped(String($0)) }
            .joined(separator: "\n")
    }

    /// Escapes the characters that begin a request of roff.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            default: result.append(character)
            }
        }
        return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&" + result : result
    }
}

extension Node {
    fileprivate func text(_ key: String) -> String { mapping?[key]?.scalar?.string ?? "" }
    fileprivate func list(_ key: String) -> [Node] { mapping?[key]?.sequence.map { Array($0) } ?? [] }
}
