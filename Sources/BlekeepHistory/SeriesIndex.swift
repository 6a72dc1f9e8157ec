internal import GRDB

/// The numbers of recent series.
struct SeriesIndex {
    /// The most series in memory. A peripheral may have other characteristics with every read.
    private static let limit = 4096

    private struct Known {
        var number: Int64
        var alias: String
        var name: String
    }

    private var known: [SeriesKey: Known] = [:]

    /// The series' number; makes the series if there is none, and gives it the labels of this one.
    mutating func number(of series: Series, in database: Database) throws -> Int64 {
        if let known = known[series.key], known.alias == series.alias, known.name == series.name {
            return known.number
        }
        let number = try Self.find(series, in: database) ?? Self.insert(series, in: database)
        if known.count >= Self.limit { known.removeAll() }
        known[series.key] = Known(number: number, alias: series.alias, name: series.name)
        return number
    }

    /// Forgets everything after a rollback.
    mutating func reset() {
        known.removeAll()
    }

    private static func find(_ series: Series, in database: Database) throws -> Int64? {
        let statement = try database.cachedStatement(
            sql: """
                SELECT id, alias, name FROM series
                WHERE device = ? AND address = ? AND service = ? AND characteristic = ? AND recipe = ? AND instance = ?
                AND ifnull(field, x'') = ifnull(?, x'') AND ifnull(unit, x'') = ifnull(?, x'')
                """)
        let arguments = StatementArguments([
            HistoryText.encode(series.key.device.description), HistoryText.encode(series.key.address.description),
            HistoryText.encode(series.key.service?.description ?? ""),
            HistoryText.encode(series.key.characteristic?.description ?? ""),
            HistoryText.encode(series.key.recipe ?? ""),
            Int64(series.key.instance).databaseValue, HistoryText.encode(series.key.field),
            HistoryText.encode(series.key.unit),
        ])
        guard let row = try Row.fetchOne(statement, arguments: arguments), let id = Int64.fromDatabaseValue(row[0])
        else { return nil }
        if HistoryText.decode(row[1]) != series.alias || HistoryText.decode(row[2]) != series.name {
            try database.cachedStatement(sql: "UPDATE series SET alias = ?, name = ? WHERE id = ?").execute(
                arguments: [HistoryText.encode(series.alias), HistoryText.encode(series.name), id])
        }
        return id
    }

    private static func insert(_ series: Series, in database: Database) throws -> Int64 {
        let statement = try database.cachedStatement(
            sql:
                "INSERT INTO series (\(Series.columns), last_seq, last_period) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)"
        )
        try statement.execute(arguments: series.arguments)
        return database.lastInsertedRowID
    }

    // MARK: Upkeep

    /// The number of series up to which none is removed.
    private static let many = 1000

    /// Removes series without readings and rollups. Otherwise a peripheral with other characteristics every day would fill
    /// the disk.
    ///
    /// - Returns: the number of removed series.
    static func prune(_ database: Database) throws -> Int {
        guard try Int.fetchOne(database.cachedStatement(sql: "SELECT count(*) FROM series")) ?? 0 > many else {
            return 0
        }
        try database.execute(
            sql: """
                DELETE FROM series WHERE last_seq < ifnull((SELECT min(seq) FROM measurements), 0)
                    AND last_seq <= (SELECT rolled FROM upkeep)
                    AND last_period < ifnull((SELECT min(period) FROM rollups WHERE minutes = 60), 0)
                    AND last_seq > 0
                """)
        return database.changesCount
    }
}
