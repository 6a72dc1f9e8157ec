import ArgumentParser
import BlekeepLog
import BlekeepOutputs
import BlekeepReadings
import Logging
import RunLoop

@main
struct Blekeep: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "blekeep",
        abstract: "Polls Bluetooth LE sensors unattended, and stores every reading.",
        discussion: RootHelp.discussion,
        version: Version.ofBuild,
        groupedSubcommands: [
            CommandGroup(
                name: "Looking around", subcommands: [Scan.self, Devices.self, Info.self, Gatt.self, Adapters.self]),
            CommandGroup(name: "Reading and writing", subcommands: [Read.self, Write.self, Notify.self]),
            CommandGroup(
                name: "Managing devices",
                subcommands: [
                    Add.self, SetCommand.self, UnsetCommand.self, Replace.self, Remove.self, PairCommand.self,
                    Forget.self,
                ]),
            CommandGroup(
                name: "Polling",
                subcommands: [
                    Poll.self, Status.self, Why.self, PollNow.self, Pause.self, Resume.self, Reload.self,
                    Notices.self, Serve.self, Fleet.self,
                ]),
            CommandGroup(
                name: "Readings",
                subcommands: [Values.self, HistoryCommand.self, Plot.self, ReportCommand.self, Fill.self, Backup.self]),
            CommandGroup(
                name: "Setting up",
                subcommands: [
                    ConfigCommand.self, Recipes.self, Doctor.self, Completions.self, ManPage.self, Version.self,
                ]),
            CommandGroup(name: "Trying out", subcommands: [Simulate.self, CaptureCommand.self, Decode.self]),
        ])

    static func main() {
        StandardDescriptors.fill()
        do {
            var command = try parse(Array(CommandLine.arguments.dropFirst()))
            let log = Logger.standardError(level: (command as? any OptionsCommand)?.options.level ?? .notice)
            for warning in EnvironmentVariable.warnings(about: Composition.environment) { log.warning("\(warning)") }
            try command.run()
            try StandardOutput.finish()
            StandardError.finish()
            BlockingCall.exitProcess(0)
        } catch let failure as Failure {
            failure.exit()
        } catch is SinkClosed {
            end(with: nil)
        } catch let error as SinkFailure {
            Failure(.allFailed, error.description).exit()
        } catch {
            guard let failure = usage(error) else { end(with: error) }
            failure.exit()
        }
    }

    /// Writes the rest of the output, and ends the process.
    private static func end(with error: (any Error)?) -> Never {
        try? StandardOutput.finish()
        StandardError.finish()
        guard let error else { BlockingCall.exitProcess(0) }
        exit(withError: error)
    }

    static func parse(_ arguments: [String]) throws -> any ParsableCommand {
        let spelled = spelled(arguments)
        try check(spelled)
        return try parseAsRoot(spelled)
    }

    /// Returns the arguments as the parser takes them. It ignores the value in `--simulate=flaky`, because the option may also
    /// be a flag, and takes a negative number of 'set' for an option.
    static func spelled(_ arguments: [String]) -> [String] {
        let isSet = arguments.first == "set"
        return arguments.flatMap { argument -> [String] in
            let prefix = "--simulate="
            if argument.hasPrefix(prefix) { return ["--simulate", String(argument.dropFirst(prefix.count))] }
            let second = argument.hasPrefix("-") ? argument.dropFirst().first : nil
            let isNegative = second.map { $0.isNumber || $0 == "." } ?? false
            return [isSet && isNegative ? " \(argument)" : argument]
        }
    }

    private static var commands: [any ParsableCommand.Type] { configuration.groupedSubcommands.flatMap(\.subcommands) }

    static var commandNames: [String] { commands.compactMap { $0.configuration.commandName } }

    /// - Throws: a failure with the most similar command, for a misspelled one, also one that `help` is asked about.
    private static func check(_ arguments: [String]) throws(Failure) {
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        var known = commands
        for word in words.prefix(while: { !$0.hasPrefix("-") && $0 != "help" }) where !known.isEmpty {
            guard let command = known.first(where: { $0.configuration.commandName == word }) else {
                let names = known.compactMap { $0.configuration.commandName }
                let meant = Spelling.closest(to: word, among: names).map { "did you mean '\($0)'?" }
                throw Failure(
                    .usage, "there is no command '\(Untrusted(word))'; \(meant ?? "'blekeep help' lists them")")
            }
            known = command.configuration.defaultSubcommand == nil ? command.configuration.subcommands : []
        }
    }

    /// Converts the parser's usage errors, so that they get blekeep's exit code 2.
    /// Returns `nil` for anything else: help, the version, another exit code.
    static func usage(_ error: any Error) -> Failure? {
        if error is ExitCode { return nil }
        if let failure = error as? Failure { return failure }
        let code = exitCode(for: error)
        guard code == .validationFailure || code == .failure else { return nil }
        return Failure(.usage, usage(fullMessage(for: error)))
    }

    /// Returns a usage error of the parser as blekeep writes errors: the sentence, and where the help is.
    private static func usage(_ message: String) -> String {
        let lines = message.split(separator: "\n").map(String.init)
        let end = lines.firstIndex { $0.hasPrefix("Usage: ") } ?? lines.count
        let head = lines[..<end].map { line in
            ["Error: ", "Help:  "].reduce(line) {
                $1.count < $0.count && $0.hasPrefix($1) ? String($0.dropFirst($1.count)) : $0
            }
        }
        let see = lines[end...].last { $0.hasPrefix("  See '") }.flatMap { line in
            line.split(separator: "'").dropFirst().first.map { "\n  '\($0)' shows all options" }
        }
        guard let first = head.first else { return message }
        return first + hint(first) + head.dropFirst().map { "\n  \($0)" }.joined() + (see ?? "")
    }

    /// Returns what the parser doesn't say about a missing value: it takes a value such as `-1` for another option.
    private static func hint(_ sentence: String) -> String {
        let parts = sentence.split(separator: "'")
        guard sentence.hasPrefix("Missing value for '--"), let option = parts[1].split(separator: " ").first else {
            return ""
        }
        return "; write \(option)=VALUE if the value begins with -"
    }
}
