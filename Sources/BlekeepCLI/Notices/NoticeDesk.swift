import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs
import Logging

/// Looks at the history, and runs the commands of what is news.
struct NoticeDesk {
    /// A look takes the newest one.
    var configuration: Configuration
    private let file: NoticeFile
    private let context: CommandContext
    private var memories: [String: NoticeMemory]
    let left = LeftProcesses()
    /// The last failure that was logged; `nil` after a success.
    private var failure: String?
    private var logFailure: String?
    private var missed = MissedRules()

    init(_ configuration: Configuration, file: NoticeFile, in context: CommandContext) {
        self.configuration = configuration
        self.file = file
        self.context = context
        memories = file.read()
    }

    /// Looks once, and waits for the commands.
    mutating func look() async {
        do {
            let facts = try facts()
            try await tell(facts)
            if failure != nil { context.log.notice("notices work again") }
            failure = nil
        } catch {
            let text = (error as? Failure)?.message ?? "\(error)"
            if failure != text { context.log.warning("can't check the history: \(text)") }
            failure = text
        }
    }

    private mutating func facts() throws -> NoticeFacts {
        let (newest, missed) = try StoredHistory.read(context) { reader in
            (try reader.latest(), try self.missed.facts(configuration.poll, now: context.wallTime(), in: reader))
        }
        return NoticeFacts(
            report: try StatusSource(context).report(), newest: newest.map(\.reading),
            batteries: context.batteryLimits.batteries, missed: missed)
    }

    /// Runs the commands of what is news in these facts, and waits for them.
    mutating func tell(_ facts: NoticeFacts) async throws {
        let time = context.wallTime()
        let before = memories
        var work: [(NoticeConfiguration, NoticeFact)] = []
        let keys = Self.keys(configuration.notices)
        memories = memories.filter { key, _ in keys.contains(key) }
        // The poller may have devices that this configuration lacks.
        let devices = Set(configuration.poll.devices.map(\.id) + facts.report.devices.map(\.id))
        for (notice, key) in zip(configuration.notices, keys) {
            memories[key, default: NoticeMemory()].keep(only: devices)
            let news = memories[key, default: NoticeMemory()].news(
                facts.all(battery: notice.battery), for: notice, most: Notices.maxCommands - work.count, at: time)
            work += news.map { (notice, $0) }
        }
        // Kept first, so that a crash repeats nothing. A full disk must not silence the notice about it.
        let kept = Result { if memories != before { try file.write(memories) } }
        keep(await run(work, at: time))
        try kept.get()
    }

    /// Adds notices to the history's log, after they were given: a history that can't be written must not stop them.
    private mutating func keep(_ given: [GivenNotice]) {
        guard !given.isEmpty else { return }
        do {
            try NoticeLog.append(given, path: file.history)
            logFailure = nil
        } catch {
            let text = "\(error)"
            if logFailure != text { context.log.warning("can't log notices: \(text)") }
            logFailure = text
        }
    }

    /// Runs commands. Returns what they reported, each fact once.
    private func run(_ work: [(NoticeConfiguration, NoticeFact)], at time: Int64) async -> [GivenNotice] {
        let loop = context.loop
        let log = context.log
        let left = left
        let gateway = configuration.gateway
        let failures = await withTaskGroup(of: (Int, String?).self) { group in
            for (index, (notice, fact)) in work.enumerated() {
                group.addTask {
                    let subject = fact.device ?? fact.subject.key
                    let outcome = await NoticeCommand(
                        notice: notice, loop: loop, gateway: gateway, left: left
                    ).run(fact, at: time)
                    if let printed = outcome.printed {
                        log.notice(
                            "the command \(notice.command[0]) for \(fact.event.rawValue) of \(subject) printed \(printed)"
                        )
                    }
                    if let failure = outcome.failure {
                        log.warning(
                            "the command \(notice.command[0]) for \(fact.event.rawValue) of \(subject): \(failure)")
                    } else {
                        log.info("\(fact.event.rawValue): \(subject)")
                    }
                    return (index, outcome.failure)
                }
            }
            return await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
        }
        var given: [(fact: NoticeFact, notice: GivenNotice)] = []
        for (index, (_, fact)) in work.enumerated() {
            if let same = given.firstIndex(where: { $0.fact == fact }) {
                given[same].notice.failure = given[same].notice.failure ?? failures[index]
                continue
            }
            let notice = GivenNotice(
                time: time, event: .known(fact.event), device: fact.subject.device, rule: fact.rule,
                message: fact.message, failure: failures[index])
            given.append((fact, notice))
        }
        return given.map(\.notice)
    }

    /// Returns the key of each command in the file, different also where commands are the same.
    static func keys(_ notices: [NoticeConfiguration]) -> [String] {
        var counts: [String: Int] = [:]
        return notices.map { notice in
            let command = notice.command.joined(separator: " ")
            counts[command, default: 0] += 1
            return "\(counts[command, default: 1]) \(command)"
        }
    }
}
