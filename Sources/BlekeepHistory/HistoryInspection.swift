internal import GRDB
import RunLoop

/// Checks the whole history once a day, a part with each durable append. SQLite notices damaged pages only when it reads
/// them, and appending doesn't read old pages.
struct HistoryInspection {
    /// The readings per part: a few milliseconds, and about 100 kB from the disk.
    static let rows = 2000
    private static let pause: Duration = .seconds(86_400)
    /// Tables that are too large to be checked as a whole. All others are small.
    private static let large = ["measurements", "rollups", "spans", "logged"]

    private var position: Int64 = 0
    /// The small tables that come next; none before the last readings.
    private var others: [String] = []
    /// The time since boot, with sleep, when the next round begins.
    private var nextRound: Duration = .zero

    /// Checks the next part if it is due.
    /// Throws `HistoryError.damaged`. A read error of the disk only ends the round, because appending may still work.
    mutating func step(_ database: Database, path: String) throws(HistoryError) {
        guard MachineClock.sinceBoot() >= nextRound else { return }
        do { if try !isSound(database) { throw HistoryError.damaged(path: path) } } catch {
            let reason = HistoryError(error, path: path)
            if case .damaged = reason { throw reason }
            endRound()
        }
    }

    private mutating func isSound(_ database: Database) throws -> Bool {
        guard let table = others.popLast() else { return try areSound(database) }
        let verdict = try String.fetchOne(database, sql: "PRAGMA quick_check('\(table)')")
        if others.isEmpty { endRound() }
        return verdict == "ok"
    }

    /// The next readings.
    private mutating func areSound(_ database: Database) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: """
                SELECT count(*), max(seq), sum(typeof(series) = 'integer' AND typeof(time_ms) = 'integer'
                    AND typeof(tick) = 'integer' AND kind BETWEEN 0 AND 6), total(length(value) + length(raw))
                FROM (SELECT * FROM measurements WHERE seq > ? ORDER BY seq LIMIT ?)
                """)
        guard let row = try Row.fetchOne(statement, arguments: [position, Self.rows]),
            let count = Int.fromDatabaseValue(row[0])
        else { return false }
        if count < Self.rows {
            others = try String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
                .filter { !Self.large.contains($0) && !$0.hasPrefix("sqlite_") }
        }
        position = Int64.fromDatabaseValue(row[1]) ?? position
        return count == 0 || Int.fromDatabaseValue(row[2]) == count
    }

    private mutating func endRound() {
        self = HistoryInspection()
        nextRound = MachineClock.sinceBoot() + Self.pause
    }

}
