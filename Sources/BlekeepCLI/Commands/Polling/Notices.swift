import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs
import Glibc
import Logging
import RunLoop

struct Notices: ContextCommand {
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
              blekeep notices --test freezer-warm      when this rule would have fired in 30 days
            """)

    @Flag(help: "Check once, run the commands, and exit when they have ended.")
    var once = false

    @Option(
        help: ArgumentHelp(
            "Show when this rule of the configuration would have fired, and exit. Runs no command.", valueName: "rule"),
        completion: .rule)
    var test: String?

    @Option(help: ArgumentHelp("With --test: the time to look back, such as 7d.", valueName: "time"))
    var last: String = "30d"

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var process: ProcessOptions

    var options: GlobalOptions { GlobalOptions(config: file.config, process: process) }

    /// SIGHUP makes it read the configuration again.
    var endings: [Int32] { [SIGINT, SIGTERM] }

    /// The largest number of commands that run at the same time.
    static let maxCommands = 4

    func validate() throws {
        if test != nil, once { throw ValidationError("--test and --once exclude each other") }
    }

    func run(in context: CommandContext) async throws {
        if let test { return try show(test, in: context) }
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

    /// Shows when a rule would have fired. Reads the history on the caller's thread, which does nothing else.
    private func show(_ name: String, in context: CommandContext) throws {
        let length: Duration
        do { length = try DurationText.parse(last) } catch { throw Failure(.usage, "--last: \(error.message)") }
        let configuration = try context.validConfiguration()?.poll ?? PollConfiguration()
        guard let rule = configuration.rules.first(where: { $0.name == name }) else {
            let names = configuration.rules.map(\.name)
            let hint =
                Spelling.closest(to: name, among: names).map { "; did you mean '\($0)'?" }
                ?? (names.isEmpty
                    ? "; add it under 'rules:' in the configuration" : "; there are \(names.joined(separator: ", "))")
            throw Failure(.notFound, "no rule is called '\(Untrusted(name))'\(hint)")
        }
        let members = rule.when.subject.members(of: configuration.devices)
        let now = context.wallTime()
        let since = now - min(length.wholeMilliseconds, now)
        let trial = try StoredHistory.read(context) { reader in
            try RuleTrial(rule, devices: members.map(\.id), since: since, now: now, in: reader)
        }
        for line in lines(trial, of: rule, members: members, length: length, now: now) { try context.output.line(line) }
    }

    private func lines(
        _ trial: RuleTrial, of rule: Rule, members: [DeviceConfiguration], length: Duration, now: Int64
    ) -> [String] {
        func local(_ time: Int64) -> String { UTCTime(milliseconds: time, offset: LocalTime.offset).dateAndMinute }
        let names = Dictionary(members.map { ($0.id, $0.name) }) { first, _ in first }
        let firings = trial.firings.map { firing in
            let span = firing.to.map { "for \(AttemptMessages.span(from: firing.from, to: $0))" } ?? "until now"
            return "\(local(firing.from))  \(Untrusted(names[firing.device] ?? ""))  \(span): "
                + Untrusted(firing.message, limit: 200).description
        }
        let more = trial.count - trial.firings.count
        let times = trial.count == 1 ? "once" : "\(trial.count) times"
        let head = "\(rule.name): \(Untrusted(rule.text, limit: 200))"
        let source =
            "values of \(trial.devices.count) of \(members.count) devices, from \(trial.summaries) summaries of 5 minutes"
        let begin = trial.first.flatMap { first in
            first > now - length.wholeMilliseconds + 3_600_000
                ? ", which begin at \(local(first))" : nil
        }
        return [head] + firings + (more > 0 ? ["and \(more) more"] : [])
            + ["would have fired \(times) in \(DurationText.text(length)), by \(source)\(begin ?? "")"]
    }

    private static func checked(_ configuration: Configuration?) throws(Failure) -> Configuration {
        guard let configuration, !configuration.notices.isEmpty else {
            throw Failure(.badConfiguration, "the configuration has no commands; add them under 'notices:'")
        }
        return configuration
    }
}
