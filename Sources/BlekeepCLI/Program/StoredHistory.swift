import Blekeep
import BlekeepHistory
import BlekeepOutputs
import Glibc

/// The history that the configuration names, for commands that read it.
enum StoredHistory {
    /// - Throws: also the mistakes in the configuration: without them, the path of another history would be used.
    static func path(_ context: CommandContext) throws(Failure) -> String {
        try Composition.readHistoryPath(context.validConfiguration(), environment: context.environment)
    }

    /// Refuses to put the output of a command in place of what blekeep needs.
    ///
    /// - Parameters:
    ///   - output: the file to write.
    ///   - path: the history.
    ///   - files: the configuration's.
    static func spare(_ output: String, history path: String, configuration files: [String]) throws(Failure) {
        func identity(_ path: String) -> [UInt64]? {
            var file = stat()
            return stat(path, &file) == 0 ? [UInt64(file.st_dev), UInt64(file.st_ino)] : nil
        }
        guard let own = identity(output) else { return }
        let what: String
        if ["", "-wal", "-shm", ".lock"].contains(where: { identity(path + $0) == own }) {
            what = "the history"
        } else if files.contains(where: { identity($0) == own }) {
            what = "the configuration"
        } else {
            return
        }
        throw Failure(.usage, "\(Untrusted.whole(output)) belongs to \(what); name another file")
    }

    static func read<Result>(_ context: CommandContext, body: (HistoryReader) throws -> Result) throws -> Result {
        try read(at: path(context), body)
    }

    /// - Throws: a failure for an error of the history, or what `body` throws.
    static func read<Result>(at path: String, _ body: (HistoryReader) throws -> Result) throws -> Result {
        do { return try body(try HistoryReader(path: path)) } catch {
            throw Failure(ofHistory: error) ?? error
        }
    }
}

extension HistoryQuery {
    /// Takes the times of a command's options.
    mutating func take(since: String?, until: String?, now: Int64) throws(Failure) {
        do { try select(since: since, until: until, now: now) } catch { throw Failure(error) }
    }

    /// Returns a time in milliseconds since 1970; without an end, until now.
    static func time(since: String, until: String?, now: Int64) throws(Failure) -> ClosedRange<Int64> {
        var query = HistoryQuery()
        try query.take(since: since, until: until, now: now)
        let (from, to) = (query.since ?? now, query.until ?? now)
        guard from < to else { throw Failure(.usage, "--since must be in the past, and before --until") }
        return from...to
    }
}

extension Failure {
    /// The failure for an error of a history or of a query; `nil` for another error.
    init?(ofHistory error: any Error) {
        switch error {
        case let error as HistoryError: self.init(error)
        case let error as HistoryQueryError: self.init(error)
        default: return nil
        }
    }

    init(_ error: HistoryError) {
        let code: Code =
            switch error {
            case .inUse: .alreadyRunning
            case .missing: .notFound
            default: error.isPassing ? .allFailed : .badConfiguration
            }
        self.init(code, error.description)
    }

    init(_ error: HistoryPathError) { self.init(error.isInConfiguration ? .badConfiguration : .usage, error.message) }

    init(_ error: HistoryQueryError) { self.init(error.code == .unknownDevice ? .notFound : .usage, error.message) }
}
