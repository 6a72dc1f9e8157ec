import BlekeepRecords
internal import GRDB
import Glibc
import Synchronization

/// Reads a history that another process may be appending to, or has left behind by dying.
///
/// It takes no lock, and keeps at most a page of readings in memory. It has no transaction open while its caller works:
/// otherwise a slow caller would make the writer's log grow. Its members throw `HistoryError`, and what closures throw.
package final class HistoryReader: Sendable {
    private static let pageSize = 256

    /// The database file.
    package let path: String

    let queue: DatabaseQueue
    /// The file, if SQLite reads it as immutable.
    private let immutable: String?
    private let known = Mutex(Known())

    /// The series that were read, and the version of the database that has them: another program may give a series another
    /// label, or its number to another series.
    private struct Known {
        var version: Int64?
        var series: [Int64: Series] = [:]

        static let most = 4096
    }

    /// - Throws: `HistoryError`, `missing` among others when nothing was kept there so far.
    package convenience init(path: String) throws(HistoryError) { try self.init(path: path, patience: .seconds(2)) }

    deinit { queue.end() }

    /// - Parameter patience: how long a call waits while another program holds the database.
    init(path: String, patience: Duration) throws(HistoryError) {
        let file = try HistoryFile.plain(path)
        guard access(file, F_OK) == 0 else {
            throw errno == ENOENT ? .missing(path: path) : HistoryError(system: errno, path: path)
        }
        self.path = path
        let resolved = try HistoryFile.resolved(path)
        do {
            try HistoryFile.checkKind(resolved, path: path)
            do { (queue, immutable) = try Self.open(resolved, path: path, patience: patience) } catch let error
                as DatabaseError
            {
                // Where the tables are damaged, too, the head still says whose they are.
                try HistorySchema.checkHead(of: resolved, path: path)
                throw error
            }
        } catch {
            let reason = HistoryError(error, path: path)
            // A history without its head is damaged, too: the poller replaces it.
            let isDamaged = HistoryRepair.helps(against: reason, wasOurs: HistoryLock.isSigned(resolved))
            throw isDamaged ? .damaged(path: path) : reason
        }
    }

    /// Whether a program writes the file now that SQLite reads as immutable.
    var isOutdated: Bool { immutable.map { access("\($0)-wal", F_OK) == 0 } ?? false }

    /// Passes readings to `body`, in the order of their sequence numbers.
    ///
    /// - Parameters:
    ///   - limit: the number of newest readings to pass, the oldest first; `nil` for all.
    ///   - body: an error that it throws ends the call.
    package func readings(
        _ query: HistoryQuery = HistoryQuery(), limit: Int? = nil, _ body: (StoredReading) throws -> Void
    ) throws {
        var first: Int64 = 0
        if let limit {
            guard limit > 0 else { return }
            first = try database { try sequence(beforeNewest: limit, query, in: $0) }
        }
        try forEach(query, after: first, limit: nil, body)
    }

    /// Passes the readings after a sequence number to `body`, the oldest first.
    ///
    /// - Parameters:
    ///   - sequence: the number of the last reading that the caller has; 0 for the start.
    ///   - limit: the most readings to pass; `nil` for all.
    package func readings(after sequence: Int64, limit: Int? = nil, _ body: (StoredReading) throws -> Void) throws {
        try forEach(HistoryQuery(), after: sequence, limit: limit, body)
    }

    func forEach(
        _ query: HistoryQuery, after first: Int64, limit: Int?, _ body: (StoredReading) throws -> Void
    ) throws {
        let condition = query.condition
        var left = limit ?? .max
        for range in try database({ try query.ranges(after: first, in: $0) }) {
            var after = range.lowerBound - 1
            while left > 0 {
                let size = min(left, Self.pageSize)
                let page = try database {
                    try self.page(condition, after: after, through: range.upperBound, size: size, in: $0)
                }
                for reading in page { try body(reading) }
                left -= page.count
                guard page.count == size, let last = page.last else { break }
                after = last.sequence
            }
        }
    }

    private func page(
        _ condition: SQLCondition, after: Int64, through last: Int64, size: Int, in database: Database
    ) throws -> [StoredReading] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT seq, \(HistoryRow.columns) FROM measurements
                WHERE \(condition.sql) AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?
                """)
        let place = [after.databaseValue, last.databaseValue, size.databaseValue]
        let rows = try Row.fetchCursor(statement, arguments: StatementArguments(condition.arguments + place))
        let unset = try unsetTimes(database)
        var page: [StoredReading] = []
        while let row = try rows.next() { page.append(try reading(row, unset: unset, in: database)) }
        return page
    }

    /// Returns the readings from times without a set clock.
    func unsetTimes(_ database: Database) throws -> UnsetTimes { try UnsetTimes(in: database) }

    /// From `seq` and the columns of `HistoryRow`.
    func reading(_ row: Row, unset: UnsetTimes, in database: Database) throws -> StoredReading {
        guard let number = Int64.stored(row[1]), let series = try series(number, in: database),
            var reading = HistoryRow.decode(row, series: series)
        else { throw HistoryError.damaged(path: path) }
        if unset.contains(reading.sequence) { reading.reading.isClockSet = false }
        return reading
    }

    /// Returns the last sequence number before the newest `limit` selected readings.
    private func sequence(beforeNewest limit: Int, _ query: HistoryQuery, in database: Database) throws -> Int64 {
        let condition = query.condition
        let statement = try database.cachedStatement(
            sql: """
                SELECT count(*), min(seq) FROM (
                    SELECT seq FROM measurements WHERE \(condition.sql) AND seq >= ? AND seq <= ?
                    ORDER BY seq DESC LIMIT ?)
                """)
        var left = limit
        var first: Int64?
        for range in try query.ranges(after: 0, in: database).reversed() where left > 0 {
            let place = [range.lowerBound.databaseValue, range.upperBound.databaseValue, left.databaseValue]
            let row = try Row.fetchOne(statement, arguments: StatementArguments(condition.arguments + place))
            guard let row, let least = Int64.stored(row[1]) else { continue }
            left -= Int.stored(row[0]) ?? 0
            first = least
        }
        return first.map { $0 - 1 } ?? 0
    }

    func series(_ number: Int64, in database: Database) throws -> Series? {
        if let series = known.withLock({ $0.series[number] }) { return series }
        let statement = try database.cachedStatement(sql: "SELECT \(Series.columns) FROM series WHERE id = ?")
        guard let row = try Row.fetchOne(statement, arguments: [number]), let series = Series(Array(row.databaseValues))
        else { return nil }
        known.withLock { known in
            if known.series.count >= Known.most { known.series.removeAll() }
            known.series[number] = series
        }
        return series
    }

    /// Forgets what was read before another connection's last commit.
    private func forgetOld(in database: Database) throws {
        let version = try Int64.fetchOne(database.cachedStatement(sql: "PRAGMA data_version"))
        known.withLock { if $0.version != version { $0 = Known(version: version) } }
    }

    func database<Result>(_ body: (Database) throws -> Result) throws -> Result {
        do {
            return try queue.read { database in
                try forgetOld(in: database)
                return try body(database)
            }
        } catch {
            throw HistoryError(error, path: path)
        }
    }

    /// Opens the database for reading. In WAL mode, SQLite needs the log even to read. If there is no log and blekeep
    /// can't create one, no program is writing, and SQLite reads the file as immutable.
    private static func open(
        _ file: String, path: String, patience: Duration
    ) throws -> (DatabaseQueue, immutable: String?) {
        do {
            return (try open(file, checkedAs: path, patience: patience), nil)
        } catch let error as DatabaseError {
            let code = error.extendedResultCode.primaryResultCode
            guard code == .SQLITE_CANTOPEN || code == .SQLITE_READONLY, access("\(file)-wal", F_OK) != 0
            else { throw error }
            return (try open("file:\(escaped(file))?immutable=1", checkedAs: path, patience: patience), file)
        }
    }

    private static func open(_ file: String, checkedAs path: String, patience: Duration) throws -> DatabaseQueue {
        var configuration = GRDB.Configuration()
        configuration.label = "history reader"
        configuration.readonly = true
        configuration.busyMode = .timeout(patience / .seconds(1))
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -1024") }
        let queue = try DatabaseQueue(path: file, configuration: configuration)
        let isMade = try queue.read { try HistorySchema.isMade($0, path: path) }
        guard isMade else { throw HistoryError.missing(path: path) }
        return queue
    }

    /// Returns a path with escapes for a URI.
    static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    }
}
