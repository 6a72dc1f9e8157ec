import BlekeepRecords
internal import GRDB

/// Sinks as rows.
extension LedgerRows {
    static func write(_ sink: SinkStatus, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO sinks (name, run, position, backlog, dropped, error, retry_ms, confirmed)
                VALUES (?, ifnull((SELECT started_ms FROM keeper), 0), ?, ?, ?, ?, ?, ?)
                """)
        try statement.execute(arguments: [
            sink.name, sink.position, sink.backlog, sink.dropped, HistoryText.encode(sink.failure), sink.nextTry,
            sink.confirmed.map(Self.text),
        ])
    }

    /// Writes the position that a sink has after a run of some ticks, so that nothing is sent twice. The rest of the
    /// service's status stays.
    static func write(ofOneOff sink: SinkStatus, beside service: Int64, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO sinks (name, run, position, backlog, dropped, confirmed) VALUES (?, ?, ?, ?, 0, ?)
                ON CONFLICT (name) DO UPDATE SET
                    position = excluded.position, backlog = excluded.backlog, confirmed = excluded.confirmed
                """)
        try statement.execute(arguments: [
            sink.name, service &- 1, sink.position, sink.backlog, sink.confirmed.map(Self.text),
        ])
    }

    /// Keeps the position of a sink that has left the configuration.
    static func leave(sink name: String, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: "UPDATE sinks SET run = (SELECT started_ms FROM keeper) - 1 WHERE name = ?")
        try statement.execute(arguments: [name])
    }

    /// - Parameter ofLastRun: only those that the last run has; otherwise of all runs.
    static func sinks(ofLastRun: Bool, in database: Database) throws -> [SinkStatus] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT name, position, backlog, dropped, error, retry_ms, confirmed FROM sinks
                WHERE NOT ? OR run = (SELECT started_ms FROM keeper) ORDER BY name
                """, arguments: [ofLastRun])
        return rows.compactMap { row in
            guard let name = String.fromDatabaseValue(row[0]), let backlog = Int64.fromDatabaseValue(row[2]),
                let dropped = Int64.fromDatabaseValue(row[3])
            else { return nil }
            var sink = SinkStatus(name: name)
            sink.position = Int64.fromDatabaseValue(row[1])
            (sink.backlog, sink.dropped) = (backlog, dropped)
            sink.failure = HistoryText.decode(row[4])
            sink.nextTry = Int64.fromDatabaseValue(row[5])
            sink.confirmed = String.fromDatabaseValue(row[6]).map(Self.ranges)
            return sink
        }
    }

    private static func text(_ ranges: [ClosedRange<Int64>]) -> String {
        ranges.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",")
    }

    /// Skips unreadable ranges, so that their readings are sent again.
    private static func ranges(_ text: String) -> [ClosedRange<Int64>] {
        text.split(separator: ",").compactMap { range in
            let ends = range.split(separator: "-").compactMap { Int64($0) }
            return ends.count == 2 && ends[0] <= ends[1] ? ends[0]...ends[1] : nil
        }
    }
}
