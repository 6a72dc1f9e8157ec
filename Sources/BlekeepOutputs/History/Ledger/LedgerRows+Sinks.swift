import Blekeep
internal import GRDB

/// Sinks as rows.
extension LedgerRows {
    static let sinksSchema = """
        CREATE TABLE sinks (
            name TEXT PRIMARY KEY,
            run INTEGER NOT NULL,       -- when the keeper started that wrote it
            position INTEGER,           -- the last reading that it has; NULL: it gets only what comes now
            backlog INTEGER NOT NULL,
            dropped INTEGER NOT NULL,
            error TEXT,                 -- NULL: it took what came last
            retry_ms INTEGER
        ) WITHOUT ROWID;
        """

    static func write(_ sink: SinkStanding, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO sinks (name, run, position, backlog, dropped, error, retry_ms)
                VALUES (?, ifnull((SELECT started_ms FROM keeper), 0), ?, ?, ?, ?, ?)
                """)
        try statement.execute(arguments: [
            sink.name, sink.position, sink.backlog, sink.dropped, HistoryText.encode(sink.failure), sink.nextTry,
        ])
    }

    /// - Parameter ofLastRun: only those that the last run has; otherwise of all runs.
    static func sinks(ofLastRun: Bool, in database: Database) throws -> [SinkStanding] {
        guard try database.tableExists("sinks") else { return [] }
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT name, position, backlog, dropped, error, retry_ms FROM sinks
                WHERE NOT ? OR run = (SELECT started_ms FROM keeper) ORDER BY name
                """, arguments: [ofLastRun])
        return rows.compactMap { row in
            guard let name = String.fromDatabaseValue(row[0]), let backlog = Int64.fromDatabaseValue(row[2]),
                let dropped = Int64.fromDatabaseValue(row[3])
            else { return nil }
            var sink = SinkStanding(name: name)
            sink.position = Int64.fromDatabaseValue(row[1])
            (sink.backlog, sink.dropped) = (backlog, dropped)
            sink.failure = HistoryText.decode(row[4])
            sink.nextTry = Int64.fromDatabaseValue(row[5])
            return sink
        }
    }
}
