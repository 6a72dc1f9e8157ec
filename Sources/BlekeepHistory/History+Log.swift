import Blekeep
internal import GRDB

/// The history as publishers read it: beside the connection that writes, so that nothing that is read keeps a commit
/// from coming.
extension History: ReadingLog {
    /// A connection of its own, and the file that it has open.
    struct LogReader {
        let reader: HistoryReader
        let file: HistoryFile
    }

    /// Reads with the connection that was opened last, unless another file lies there now.
    ///
    /// It stays open: GRDB starts threads when a connection is closed, and the poller has one.
    private func read<Result>(_ body: (HistoryReader) throws -> Result) throws -> Result {
        try log.withLock { log in
            let file = HistoryFile(path)
            if let open = log, let file, file.isSame(as: open.file) {
                do { return try body(open.reader) } catch {
                    log = nil
                    throw error
                }
            }
            // The poller's only thread waits for nobody.
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
