import Blekeep
internal import GRDB

extension HistoryReader {
    /// The last number that was given to a reading; 0: none was.
    package func lastSequence() throws -> Int64 { try database { try History.givenSequence(in: $0) ?? 0 } }

    /// Returns the newest reading of each selected series, in the order of sequence numbers, unless it was removed.
    ///
    /// - Throws: `HistoryError`.
    package func latest(_ query: HistoryQuery = HistoryQuery()) throws -> [StoredReading] {
        try database { database in
            let condition = query.seriesCondition
            let isCurrent = try isCurrent(database)
            var newest: [Int64: Int64] = [:]
            let rolled = isCurrent ? try Roller.rolled(in: database) : 0
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT id, \(isCurrent ? "ifnull(same_as, id), last_seq" : "id, 0") FROM series
                    WHERE \(condition.sql)
                    """, arguments: StatementArguments(condition.arguments))
            var series: [Int64: Int64] = [:]
            while let row = try rows.next() {
                guard let id = Int64.fromDatabaseValue(row[0]), let now = Int64.fromDatabaseValue(row[1]) else {
                    continue
                }
                series[id] = now
                newest[now] = max(newest[now] ?? 0, Int64.fromDatabaseValue(row[2]) ?? 0)
            }
            let tail = try Row.fetchCursor(
                database.cachedStatement(
                    sql: "SELECT series, max(seq) FROM measurements WHERE seq > ? GROUP BY series"),
                arguments: [rolled])
            while let row = try tail.next() {
                guard let id = Int64.fromDatabaseValue(row[0]), let now = series[id] else { continue }
                newest[now] = max(newest[now] ?? 0, Int64.fromDatabaseValue(row[1]) ?? 0)
            }
            return try readings(newest.values.sorted(), in: database)
                .filter { reading in
                    query.since.map { reading.reading.time >= $0 } ?? true
                        && query.until.map { reading.reading.time <= $0 } ?? true
                }
        }
    }

    private func readings(_ numbers: [Int64], in database: Database) throws -> [StoredReading] {
        let unset = try unsetTimes(database)
        let statement = try database.cachedStatement(
            sql: "SELECT seq, \(HistoryRow.columns) FROM measurements WHERE seq = ?")
        return try numbers.compactMap { number in
            try Row.fetchOne(statement, arguments: [number]).map { try reading($0, unset, in: database) }
        }
    }
}
