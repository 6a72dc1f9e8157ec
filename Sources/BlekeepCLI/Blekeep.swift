import ArgumentParser
import BlekeepLog
import BlekeepOutputs
import Logging
import RunLoop

@main
struct Blekeep: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "blekeep",
        abstract: "Polls Bluetooth LE sensors unattended, and stores every reading.",
        discussion: """
            Examples:
              blekeep poll --simulate                 simulated sensors, no hardware
              blekeep scan                            nearby devices
              blekeep gatt F0:00:00:00:00:01          the services and values of a device
              blekeep read F0:00:00:00:00:01 temperature
              blekeep poll F0:00:00:00:00:01 --once   all known values, once
              blekeep history --since 1h              stored readings
              blekeep status                          the state of each device

            Environment variables also set options: BLEKEEP_ADAPTER, BLEKEEP_BUS, BLEKEEP_CONFIG, \
            BLEKEEP_LOG_LEVEL, BLEKEEP_TIMEOUT.

            Exit codes:
              0 good, 1 some failed, 2 wrong usage, 3 no bus or BlueZ, 4 no adapter or off,
              5 not found, 6 not connected or nothing read, 7 not paired, 75 running already,
              78 bad configuration, 124 timed out
            """,
        version: Version.text,
        groupedSubcommands: [
            CommandGroup(
                name: "Looking around", subcommands: [Scan.self, Devices.self, Info.self, Gatt.self, Adapters.self]),
            CommandGroup(name: "Reading and writing", subcommands: [Read.self, Write.self, Notify.self]),
            CommandGroup(
                name: "Polling",
                subcommands: [
                    Poll.self, PollNow.self, Pause.self, Resume.self, Reload.self, Status.self, Values.self, Why.self,
                    HistoryCommand.self, Plot.self, Export.self, ReportCommand.self, Power.self, Notices.self,
                    Serve.self,
                ]),
            CommandGroup(
                name: "Setting up",
                subcommands: [
                    PairCommand.self, Forget.self, Trust.self, Untrust.self, Add.self, Rename.self, Enable.self,
                    Disable.self, Remove.self, ConfigCommand.self, Doctor.self,
                    Completions.self, ManPage.self, Version.self,
                ]),
            CommandGroup(name: "Trying out", subcommands: [Simulate.self, Decode.self]),
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
        exit(withError: error)
    }

    /// Returns the command with its options.
    static func parse(_ arguments: [String]) throws -> any ParsableCommand {
        let commands = Set(
            configuration.groupedSubcommands.flatMap(\.subcommands).compactMap { $0.configuration.commandName })
        return try parseAsRoot(GlobalFlags.moved(arguments, commands: commands))
    }

    /// Converts the parser's usage errors, so that they get blekeep's exit code 2.
    ///
    /// - Returns: `nil` for anything else: help, the version, another exit code.
    static func usage(_ error: any Error) -> Failure? {
        if error is ExitCode { return nil }
        let code = exitCode(for: error)
        guard code == .validationFailure || code == .failure else { return nil }
        return Failure(.usage, fullMessage(for: error))
    }
}
