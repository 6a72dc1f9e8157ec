import ArgumentParser
import Blekeep
import Testing
import Yams

@testable import BlekeepCLI
@testable import BlekeepConfiguration

@Suite struct HelpTests {
    private static var all: [(name: String, type: any ParsableCommand.Type)] {
        commands.flatMap { type in [type] + type.configuration.subcommands }.map { type in (type._commandName, type) }
    }

    private static var commands: [any ParsableCommand.Type] {
        let root = BlekeepCLI.Blekeep.configuration
        return root.subcommands + root.groupedSubcommands.flatMap(\.subcommands)
    }

    @Test func everyHelpTextMatchesItsSnapshot() async throws {
        try expectSnapshot("help", BlekeepCLI.Blekeep.helpMessage(columns: 80))
        for command in Self.commands {
            try expectSnapshot(
                "help-\(command._commandName)", BlekeepCLI.Blekeep.helpMessage(for: command, columns: 80))
            for type in command.configuration.subcommands {
                try expectSnapshot(
                    "help-\(command._commandName)-\(type._commandName)",
                    BlekeepCLI.Blekeep.helpMessage(for: type, columns: 80))
            }
        }
    }

    @Test func theManualHasEveryCommandAndNoStrayRequest() async throws {
        let root = try #require(Yams.compose(yaml: BlekeepCLI.Blekeep._dumpHelp())?.mapping?["command"])
        let text = ManPage.text(root)
        for (name, _) in Self.all {
            let shown = name.replacing("-", with: "\\-")
            #expect(text.contains(".SS blekeep \(shown)") || text.contains(" \(shown)"))
        }
        for section in ["EXIT STATUS", "FILES", "EXAMPLES", "SEE ALSO"] {
            #expect(
                text.contains("\n.SH \(section)\n.TP") || section == "SEE ALSO" && text.contains(".SH \(section)\n"))
        }
        expectKnownRequests(text)
    }

    private func expectKnownRequests(_ text: String) {
        let requests = Set([".TH", ".SH", ".SS", ".TP", ".PP", ".nf", ".fi", ".B", ".I"])
        for line in text.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(requests.contains(String(line.prefix { $0 != " " })), "\(line)")
        }
    }

    @Test func theManualOfTheConfigurationHasEveryKey() throws {
        let text = ConfigurationManPage.text
        expectKnownRequests(text)
        for key in Configuration.keys.map(\.facts.name) { #expect(text.contains(".SS \(key)\n"), "\(key)") }
        // Without the title, which has the version.
        let body = text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
        try expectSnapshot("manual-configuration", body.joined(separator: "\n"))
    }

    @Test func theHelpHasNoBrokenLine() {
        for line in RootHelp.discussion.split(separator: "\n") where line.hasPrefix(" ") {
            #expect(line.count <= 80, "\(line)")
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

    // MARK: Completions

    @Test(arguments: [
        (CompletionShell.bash, "-W 'scan\nread'\n}\n\n_blekeep_with_colons() {"),
        (.bash, "\ncomplete -o filenames -F _blekeep_with_colons blekeep"), (.zsh, "'*:subcommands:(scan read)'"),
        (.fish, "positional \"blekeep help\" -ge 1' -fka 'scan read'"),
    ])
    func helpCompletesTheCommands(shell: CompletionShell, part: String) {
        let script = BlekeepCLI.Blekeep.completionScript(for: shell)
        let text = CompletionScript(script, for: shell, commands: ["scan", "read"]).text
        #expect(text.contains(part))
    }

    /// What is added to a script calls functions of the parser.
    @Test(arguments: [
        (CompletionShell.bash, "\n_blekeep() {"), (.bash, "\n__blekeep_add_completions() {"),
        (.fish, "\nfunction __blekeep_should_offer_completions_for_positional "),
    ])
    func theParsersScriptHasTheFunctionsThatAreCalled(shell: CompletionShell, function: String) {
        #expect(BlekeepCLI.Blekeep.completionScript(for: shell).contains(function))
    }

    @Test func devicesAreCompletedByAliasTagAndAddress() {
        var freezer = DeviceConfiguration(alias: "freezer", address: BluetoothAddress(bits: 0xF000_0000_0002))
        freezer.tags = ["cellar"]
        let devices = [freezer, DeviceConfiguration(address: BluetoothAddress(bits: 0xF000_0000_0003))]
        let names = ["freezer", "F0:00:00:00:00:03", "tag:cellar", "all"]
        #expect(NameCompletions.devices(devices, typed: "") == names)
        #expect(NameCompletions.devices(devices, typed: "tag") == names)
        #expect(NameCompletions.devices(devices, typed: "F0:0") == names + ["F0:00:00:00:00:02"])
    }

    @Test(arguments: [("scann", "did you mean 'scan'?"), ("zzz", "'blekeep help' lists them")])
    func aMisspelledCommandHasASuggestion(word: String, advice: String) {
        let failure = #expect(throws: Failure.self) { try BlekeepCLI.Blekeep.parse([word]) }
        #expect(failure?.message == "there is no command '\(word)'; \(advice)")
        let asked = #expect(throws: Failure.self) { try BlekeepCLI.Blekeep.parse(["help", word]) }
        #expect(asked?.message == failure?.message)
        for words in [["help", "config", "chekc"], ["config", "chekc", "--json"]] {
            let nested = #expect(throws: Failure.self) { try BlekeepCLI.Blekeep.parse(words) }
            #expect(nested?.message == "there is no command 'chekc'; did you mean 'check'?")
        }
    }
}
