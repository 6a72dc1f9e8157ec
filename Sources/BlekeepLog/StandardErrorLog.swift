import BlekeepOutputs
import BlekeepRecords
import Glibc
import Logging
import RunLoop
import Synchronization

/// Writes log lines to standard error, with journald's levels under systemd.
package struct StandardErrorLog: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    private let isJournal: Bool
    private let journal: Journal?
    private let write: @Sendable (String) -> Void
    private let now: @Sendable () -> Uptime
    private let budget: Budget

    /// The limit for all loggers of the process, which share standard error.
    package final class Budget: Sendable {
        private let budget = Mutex(LogBudget())

        package init() {}

        func decide(at now: Uptime) -> LogBudget.Verdict { budget.withLock { $0.decide(at: now) } }

        package static let process = Budget()
    }

    package init(
        level: Logger.Level, isJournal: Bool = Self.standardErrorIsJournal,
        journal: Journal? = Self.standardErrorIsJournal ? .system : nil,
        budget: Budget = .process, now: @escaping @Sendable () -> Uptime = Self.sinceBoot,
        write: @escaping @Sendable (String) -> Void = StandardError.print
    ) {
        self.budget = budget
        self.now = now
        logLevel = level
        self.isJournal = isJournal
        self.journal = journal
        self.write = write
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        switch budget.decide(at: now()) {
        case .suppress: return
        case .write: break
        case .report(let suppressed):
            put(.warning, message: "suppressed \(suppressed) lines of the log: too many at once")
        }
        put(event.level, message: "\(event.message)", metadata: event.metadata ?? [:])
    }

    private func put(_ level: Logger.Level, message: String, metadata: Logger.Metadata = [:]) {
        // Write one line, whatever a device's name contains: journald would log a second line without a level.
        let text = Untrusted(Self.message(message, metadata: metadata), limit: 1000).description
        if let journal, journal.send(Journal.entry(Self.priority(level), message: text, metadata: metadata)) { return }
        write(Self.prefix(level, isJournal: isJournal) + text)
    }

    /// Returns the message of a line, with the command that helps after the failure that it reports.
    private static func message(_ message: String, metadata: Logger.Metadata) -> String {
        func value(_ key: LogKey) -> String? { metadata[key.rawValue].map { "\($0)" } }
        let command = Advice.command(value(.code).flatMap { FailureCode(rawValue: $0) }, of: value(.address))
        return command.map { "\(message); \($0)" } ?? message
    }

    private static func prefix(_ level: Logger.Level, isJournal: Bool) -> String {
        isJournal ? "<\(priority(level))>" : "\(level): "
    }

    /// Returns a line in the format of the process's log.
    static func line(_ level: Logger.Level, message: String) -> String {
        prefix(level, isJournal: standardErrorIsJournal) + message
    }

    @Sendable package static func sinceBoot() -> Uptime { Uptime(nanoseconds: MachineClock.sinceBootNanoseconds()) }

    /// Whether standard error is the journal. systemd passes the identity of its file, and a redirection has another.
    package static var standardErrorIsJournal: Bool {
        guard let stream = getenv("JOURNAL_STREAM").map({ String(cString: $0) }) else { return false }
        var file = stat()
        guard fstat(STDERR_FILENO, &file) == 0 else { return false }
        return stream == "\(file.st_dev):\(file.st_ino)"
    }

    private static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .critical: 2
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug, .trace: 7
        }
    }
}

extension Logger {
    package static func standardError(level: Logger.Level) -> Logger {
        Logger(label: "blekeep") { _ in StandardErrorLog(level: level) }
    }
}
