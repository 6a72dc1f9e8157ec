internal import GRDB

/// Which readings are asked for.
struct HistoryFilter {
    /// An alias or an address.
    var device: String?
    /// The earliest time, in milliseconds since 1970.
    var since: Int64?
    /// Only those with higher sequence numbers.
    var after: Int64 = 0

    /// The condition of an SQL query over `measurements`, to go with `arguments`.
    var condition: String {
        var condition = "seq > ?"
        if since != nil { condition += " AND time_ms >= ?" }
        if device != nil { condition += " AND series IN (SELECT id FROM series WHERE device = ? OR address = ?)" }
        return condition
    }

    var arguments: StatementArguments {
        var values = [after.databaseValue]
        if let since { values.append(since.databaseValue) }
        if let device {
            values.append(HistoryText.encode(device))
            values.append(HistoryText.encode(device.uppercased()))
        }
        return StatementArguments(values)
    }

    /// The sequence number behind which the newest `limit` of these readings lie.
    func sequence(beforeNewest limit: Int, in database: Database) throws -> Int64 {
        let first = try Int64.fetchOne(
            database,
            sql: """
                SELECT min(seq) FROM (
                    SELECT seq FROM measurements WHERE \(condition) ORDER BY seq DESC LIMIT ?)
                """,
            arguments: arguments + [limit])
        return first.map { $0 - 1 } ?? after
    }
}
