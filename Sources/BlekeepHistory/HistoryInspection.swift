internal import GRDB
import Glibc

/// Reads through a history once a day, a little with each durable append: SQLite appends to a file for years whose older
/// pages are nonsense, and says so only to who reads them.
struct HistoryInspection {
    /// Some milliseconds' work, a hundred kilobytes from the disk.
    static let rows = 2000
    private static let pause = 86_400
    /// Tables that stay small, each read at one time.
    private static let others = ["series", "heartbeats", "downtimes", "standings", "attempts", "upkeep"]

    private var position: Int64 = 0
    private var place = 0
    /// In seconds since the machine was started.
    private var nextRound = 0

    /// Looks at what is next, if it is time.
    ///
    /// - Throws: `HistoryError.damaged` when it is no history of ours any more. What the disk cannot read now is passed
    ///   over: to append is what matters.
    mutating func step(_ database: Database, path: String) throws(HistoryError) {
        guard Self.now >= nextRound else { return }
        do { if try !isSound(database) { throw HistoryError.damaged(path: path) } } catch {
            let reason = HistoryError(error, path: path)
            if case .damaged = reason { throw reason }
            endRound()
        }
    }

    private mutating func isSound(_ database: Database) throws -> Bool {
        guard place > 0 else { return try areSound(database) }
        let table = Self.others[place - 1]
        let verdict = try String.fetchOne(database, sql: "PRAGMA quick_check('\(table)')")
        if place < Self.others.count { place += 1 } else { endRound() }
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
        if count < Self.rows { place = 1 }
        position = Int64.fromDatabaseValue(row[1]) ?? position
        return count == 0 || Int.fromDatabaseValue(row[2]) == count
    }

    private mutating func endRound() {
        self = HistoryInspection()
        nextRound = Self.now + Self.pause
    }

    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return time.tv_sec
    }
}
