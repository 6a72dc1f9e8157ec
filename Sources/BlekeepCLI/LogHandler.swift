import BlekeepOutputs
import Glibc
import Logging

/// Writes log lines to standard error: for people, or with journald's levels under systemd.
struct StandardErrorLog: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    private let isJournal: Bool

    init(level: Logger.Level) {
        logLevel = level
        isJournal = getenv("JOURNAL_STREAM") != nil
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let text = Untrusted("\(event.message)", limit: 1000).description
        let prefix = isJournal ? "<\(Self.priority(event.level))>" : "\(event.level): "
        StandardError.print(prefix + text)
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
