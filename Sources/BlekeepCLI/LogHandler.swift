import BlekeepOutputs
import Glibc
import Logging

/// Writes log lines to standard error: for people, or with journald's levels under systemd.
struct StandardErrorLog: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    private let isJournal: Bool
    private let write: @Sendable (String) -> Void

    init(
        level: Logger.Level, isJournal: Bool = Self.standardErrorIsJournal,
        write: @escaping @Sendable (String) -> Void = StandardError.print
    ) {
        logLevel = level
        self.isJournal = isJournal
        self.write = write
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        // One line, whatever a peripheral is called; journald would take a second line for one without a level.
        let text = Untrusted("\(event.message)", limit: 1000).description
        write((isJournal ? "<\(Self.priority(event.level))>" : "\(event.level): ") + text)
    }

    /// Whether what we write goes to the journal: systemd says which file it gave, and a redirection has another.
    private static var standardErrorIsJournal: Bool {
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
    static func standardError(level: Logger.Level) -> Logger {
        Logger(label: "blekeep") { _ in StandardErrorLog(level: level) }
    }
}
