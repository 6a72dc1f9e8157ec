import Blekeep
internal import GRDB

/// The history for publishers. They read with another connection than the writer's, so that no read delays a commit.
extension History: ReadingLog {
    /// A connection for reading, and its file.
    struct LogReader {
        let reader: HistoryReader
        let file: HistoryFile
    }

    /// Reads with the open connection, or with a new one if the path leads to another file now.
    ///
    /// The connection stays open, because GRDB starts threads when it closes one, and the poller uses one thread.
    private func read<Result>(_ body: (HistoryReader) throws -> Result) throws -> Result {
        try log.withLock { log in
            let file = HistoryFile(path)
            if let open = log, let file, file.isSame(as: open.file) {
                do { return try body(open.reader) } catch {
                    log = nil
                    throw error
                }
            }
            // The poller's only thread must not wait for another program.
            let reader = try HistoryReader(path: path, patience: .milliseconds(100))
            let result = try body(reader)
            log = file.map { LogReader(reader: reader, file: $0) }
            return result
        }
    }

    package func readings(after sequence: Int64, limit: Int) throws -> [StoredReading] {
        try read { reader in
            var page: [StoredReading] = []
            try reader.readings(after: sequence, limit: limit) { page.append($0) }
            return page
        }
    }

    package func bounds() throws -> (oldest: Int64, newest: Int64) {
        try read { reader in
            try reader.database { database in
                let newest = try History.givenSequence(in: database) ?? 0
                let oldest = try Int64.fetchOne(database, sql: "SELECT min(seq) FROM measurements") ?? newest + 1
                return (oldest, newest)
            }
        }
    }

    package func lastSinks() throws -> [SinkStatus] {
        try read { try $0.database { try LedgerRows.sinks(ofLastRun: false, in: $0) } }
    }
}
