import ArgumentParser

@main
struct Blekeep: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "blekeep",
        abstract: "Reads Bluetooth LE sensors for years, without anybody looking at it.",
        discussion: """
            Examples:
              blekeep poll --simulate                 a house of simulated sensors, no hardware needed
              blekeep poll F0:00:00:00:00:01 --once   read a real one, once
              blekeep history --since 1h              what was read
            """,
        version: Version.text,
        subcommands: [
            Poll.self, Power.self, Simulate.self, HistoryCommand.self, ConfigCommand.self, Version.self,
        ])

    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let failure as Failure {
            failure.exit()
        } catch let code as ExitCode {
            exit(withError: code)
        } catch {
            // Usage errors go the same way as ours: one clear text, and 2 as the exit code of wrong usage.
            let code = exitCode(for: error)
            guard code == .validationFailure || code == .failure else { exit(withError: error) }
            Failure(.usage, fullMessage(for: error)).exit()
        }
    }
}
