import BlekeepRecords
internal import GRDB

/// The history for publishers. They read with another connection than the writer's, so that no read delays a commit.
extension History: ReadingLog {
    private func read<Result: Sendable>(_ body: (HistoryReader) throws -> Result) throws -> Result {
        try log.withLock { try $0.read(body) }
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

    /// Returns the newest reading of each series, as `HistoryReader.latest` does, with the connection that stays open.
    ///
    /// - Throws: `HistoryError`.
    package func latest() throws -> [StoredReading] { try read { try $0.latest() } }

    package func lastSinks() throws -> [SinkStatus] {
        try read { try $0.database { try LedgerRows.sinks(ofLastRun: false, in: $0) } }
    }
}
