import ArgumentParser
import Testing
import Yams

@testable import BlekeepCLI

@Suite struct HelpTests {
    private static var all: [(name: String, type: any ParsableCommand.Type)] {
        let root = BlekeepCLI.Blekeep.configuration
        return (root.subcommands + root.groupedSubcommands.flatMap(\.subcommands)).flatMap { type in
            [type] + type.configuration.subcommands
        }.map { type in (type._commandName, type) }
    }

    @Test func everyHelpTextMatchesItsSnapshot() async throws {
        try expectSnapshot("help", BlekeepCLI.Blekeep.helpMessage(columns: 80))
        for (name, type) in Self.all {
            try expectSnapshot("help-\(name)", BlekeepCLI.Blekeep.helpMessage(for: type, columns: 80))
        }
    }

    @Test func theManualHasEveryCommandAndNoStrayRequest() async throws {
        let root = try #require(Yams.compose(yaml: BlekeepCLI.Blekeep._dumpHelp())?.mapping?["command"])
        let text = ManPage.text(root)
        for (name, _) in Self.all {
            let shown = name.replacing("-", with: "\\-")
            #expect(text.contains(".SS blekeep \(shown)") || text.contains(" \(shown)"))
        }
        let requests = Set([".TH", ".SH", ".SS", ".TP", ".PP", ".nf", ".fi", ".B", ".I"])
        for line in text.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(requests.contains(String(line.prefix { $0 != " " })), "\(line)")
        }
    }

    /// Without a given name, the parser derives it from the type at each start, which takes 0.1 ms.
    @Test func everyCommandSaysItsName() {
        for (name, type) in Self.all { #expect(type.configuration.commandName == name) }
    }

    @Test func everyCommandHasAnExample() {
        for (name, type) in Self.all where type.configuration.subcommands.isEmpty {
            #expect(type.configuration.discussion.contains("blekeep "), "\(name)")
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completionScriptsKnowTheCommands(shell: String) async throws {
        let shell = try #require(Completions.Shell(rawValue: shell))
        let script = BlekeepCLI.Blekeep.completionScript(for: shell.completed)
        for (name, _) in Self.all { #expect(script.contains(name)) }
    }
}
