internal import GRDB

/// The numbers of a history: times, counts, lengths and keys. A damaged file, or another program, may put any number into it,
/// and sums of such numbers would end the process. No file of blekeep has one beyond `History.maxNumber`: whoever reads one
/// takes the row for damaged. What devices measured is read as it is, and nothing is computed with it as a whole number.
extension Int64 {
    /// - Returns: `nil` also for a number that can't be.
    static func stored(_ value: DatabaseValue) -> Int64? {
        guard let number = Int64.fromDatabaseValue(value), number.magnitude <= History.maxNumber else { return nil }
        return number
    }

    /// Returns the first number of a query's first row.
    static func stored(_ database: Database, sql: String) throws -> Int64? {
        try DatabaseValue.fetchOne(database, sql: sql).flatMap { stored($0) }
    }
}

extension Int {
    /// - Returns: `nil` also for a number that can't be.
    static func stored(_ value: DatabaseValue) -> Int? { Int64.stored(value).map { Int($0) } }
}
