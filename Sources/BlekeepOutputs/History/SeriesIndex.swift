internal import GRDB

/// The numbers of the series that were seen lately.
struct SeriesIndex {
    /// A peripheral that changes a characteristic's name with every read must not fill the memory.
    private static let limit = 4096

    private var numbers: [SeriesKey: Int64] = [:]

    /// The series' number; makes the series if there is none.
    mutating func number(of key: SeriesKey, in database: Database) throws -> Int64 {
        if let number = numbers[key] { return number }
        let number = try Self.find(key, in: database) ?? Self.insert(key, in: database)
        if numbers.count >= Self.limit { numbers.removeAll() }
        numbers[key] = number
        return number
    }

    /// Forgets everything: after a transaction that was rolled back.
    mutating func reset() {
        numbers.removeAll()
    }

    private static func find(_ key: SeriesKey, in database: Database) throws -> Int64? {
        let statement = try database.cachedStatement(
            sql: """
                SELECT id FROM series
                WHERE device = ? AND address = ? AND service = ? AND characteristic = ? AND name = ?
                AND ifnull(field, x'') = ifnull(?, x'') AND ifnull(unit, x'') = ifnull(?, x'')
                """)
        return try Int64.fetchOne(statement, arguments: key.arguments)
    }

    private static func insert(_ key: SeriesKey, in database: Database) throws -> Int64 {
        let statement = try database.cachedStatement(
            sql: "INSERT INTO series (\(SeriesKey.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)")
        try statement.execute(arguments: key.arguments)
        return database.lastInsertedRowID
    }
}
