import ArgumentParser
import Blekeep
import BlekeepHistory
import RunLoop

struct Notices: ContextCommand, FileCommand {
    static let configuration = CommandConfiguration(
        commandName: "notices",
        abstract: "Run commands when devices are lost or read again, and when something fails.",
        discussion: """
            Reads what 'poll' stores, every 10 s until Ctrl-C, and runs the commands under 'notices:' in the configuration. \
            Each command gets one JSON object on its standard input. A file beside the history keeps what was said.

            Examples:
              blekeep notices
              blekeep notices --once     what is news now
            """)

    @Flag(help: "Look once, and end when the commands ended.")
    var once = false

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var process: ProcessOptions

    var common: CommonOptions { CommonOptions(file, process) }

    /// The time between two looks at the history.
    static let pause: Duration = .seconds(10)
    /// The largest number of commands that run at the same time.
    static let most = 4

    func run(in context: CommandContext) async throws {
        let configuration = try context.validConfiguration() ?? Configuration()
        guard !configuration.notices.isEmpty else {
            throw Failure(.badConfiguration, "the configuration has no commands; add them under 'notices:'")
        }
        let file = NoticeFile(history: try StoredHistory.path(context))
        try file.lock()
        var desk = NoticeDesk(configuration, file, context)
        let gate = Gate(context.loop)
        context.onEnd = gate.open
        while context.ending == nil {
            await desk.look()
            if once { break }
            await gate.wait(until: context.loop.now + Self.pause)
        }
    }
}
