import BlekeepRecords
internal import GRDB

extension HistoryReader {
    /// Returns a page of selected readings after a number, the oldest first.
    ///
    /// - Parameter limit: the most readings, of which a page in memory has as many.
    package func page(_ query: HistoryQuery, after sequence: Int64, limit: Int) throws -> [StoredReading] {
        var page: [StoredReading] = []
        try forEach(query, after: sequence, limit: limit) { page.append($0) }
        return page
    }

    /// Returns the number of the last of the first `limit` selected readings after a number; `nil` when there are fewer.
    package func last(ofFirst limit: Int, _ query: HistoryQuery, after sequence: Int64) throws -> Int64? {
        try database { database in
            let condition = query.condition
            let statement = try database.cachedStatement(
                sql: """
                    SELECT count(*), max(seq) FROM (
                        SELECT seq FROM measurements WHERE \(condition.sql) AND seq >= ? AND seq <= ?
                        ORDER BY seq LIMIT ?)
                    """)
            var left = limit
            for range in try query.ranges(after: sequence, in: database) {
                let place = [range.lowerBound.databaseValue, range.upperBound.databaseValue, left.databaseValue]
                let row = try Row.fetchOne(statement, arguments: StatementArguments(condition.arguments + place))
                left -= row.flatMap { Int.stored($0[0]) } ?? 0
                if left <= 0 { return row.flatMap { Int64.stored($0[1]) } }
            }
            return nil
        }
    }

    /// Returns the readings after a number with the last number that was given, so that a caller notices an older history.
    package func news(after sequence: Int64, limit: Int) throws -> (readings: [StoredReading], newest: Int64) {
        let newest = try lastSequence()
        return (try page(HistoryQuery(), after: sequence, limit: limit), newest)
    }
}
