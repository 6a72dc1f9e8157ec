import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import Glibc
import RunLoop

struct Notices: ContextCommand, FileCommand {
    static let configuration = CommandConfiguration(
        commandName: "notices",
        abstract: "Run commands when devices are lost or read again, and when something fails.",
        discussion: """
            Follows what 'poll' stores until Ctrl-C, and runs the commands under 'notices:' in the configuration. \
            Each command gets one JSON object on its standard input. A file beside the history remembers what was \
            reported. SIGHUP makes it read the configuration again.

            Examples:
              blekeep notices
              blekeep notices --once     check once and exit
            """)

    @Flag(help: "Check once, run the commands, and exit when they have ended.")
    var once = false

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var process: ProcessOptions

    var common: CommonOptions { .withoutOutput(file, process: process) }

    /// SIGHUP makes it read the configuration again.
    var endings: [Int32] { [SIGINT, SIGTERM] }

    /// The largest number of commands that run at the same time.
    static let maxCommands = 4

    func run(in context: CommandContext) async throws {
        let configuration = try Self.checked(context.validConfiguration())
        let path = try StoredHistory.path(context)
        let file = NoticeFile(history: path)
        try file.lock()
        var desk = NoticeDesk(configuration, file: file, in: context)
        defer { desk.left.end() }
        if once { return await desk.look() }
        let watch = try NoticeWatch(path, on: context.loop)
        defer { watch.close() }
        context.onEnd = watch.end
        while context.ending == nil {
            let start = context.loop.now
            await desk.look()
            guard await watch.wait(after: start), let new = reload(context, path: path) else { continue }
            desk.configuration = new
        }
    }

    /// - Returns: the new configuration; `nil` if it can't be used. Then the log says why.
    private func reload(_ context: CommandContext, path: String) -> Configuration? {
        do {
            let new = try context.reload { new throws(Failure) in
                guard try Composition.readHistoryPath(new) == path else {
                    throw Failure(.badConfiguration, "the path of the history changed; restart 'blekeep notices'")
                }
                return try Self.checked(new)
            }
            context.log.notice("read the configuration again")
            return new
        } catch {
            context.log.refusedConfiguration(error.message)
            return nil
        }
    }

    private static func checked(_ configuration: Configuration?) throws(Failure) -> Configuration {
        guard let configuration, !configuration.notices.isEmpty else {
            throw Failure(.badConfiguration, "the configuration has no commands; add them under 'notices:'")
        }
        return configuration
    }
}
