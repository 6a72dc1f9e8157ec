import Blekeep
internal import GRDB
import Glibc
import Synchronization

/// Reads a history that another process may be appending to, or has left behind by dying.
///
/// It takes no lock, keeps a page of readings in memory at most, and holds no transaction while its caller works, so
/// that a slow caller does not make the writer's log grow.
public final class HistoryReader: Sendable {
    private static let pageSize = 256

    /// The database file.
    public let path: String

    private let queue: DatabaseQueue
    private let series = Mutex<[Int64: SeriesKey]>([:])

    /// - Throws: `HistoryError`, `missing` among others when nothing was kept there so far.
    public init(path: String) throws(HistoryError) {
        let file = try HistoryFolder.plain(path)
        guard access(file, F_OK) == 0 else {
            throw errno == ENOENT ? .missing(path: path) : HistoryError(system: errno, path: path)
        }
        self.path = path
        do {
            let resolved = try HistoryFolder.resolved(path)
            try HistoryFolder.checkFile(resolved, path: path)
            queue = try Self.open(resolved, path: path)
        } catch {
            throw HistoryError(error, path: path)
        }
    }

    /// Hands over the readings in the order of their sequence numbers.
    ///
    /// - Parameters:
    ///   - device: an alias or an address; `nil` for all.
    ///   - since: the earliest time, in milliseconds since 1970, UTC.
    ///   - limit: only the newest so many of them (still the oldest first).
    ///   - body: what it throws ends the reading and is thrown on.
    /// - Throws: `HistoryError`, and what `body` throws.
    public func readings(
        device: String? = nil, since: Int64? = nil, limit: Int? = nil, _ body: (StoredReading) throws -> Void
    ) throws {
        var filter = HistoryFilter(device: device, since: since)
        if let limit {
            guard limit > 0 else { return }
            filter.after = try database { try filter.sequence(beforeNewest: limit, in: $0) }
        }
        try forEach(filter, limit: nil, body)
    }

    /// Hands over what follows a place in the history, the oldest first: for those who follow it.
    ///
    /// - Parameters:
    ///   - sequence: the number of the last reading that the caller has; 0 for the start.
    ///   - limit: at most so many.
    public func readings(
        after sequence: Int64, limit: Int? = nil, _ body: (StoredReading) throws -> Void
    ) throws {
        try forEach(HistoryFilter(after: sequence), limit: limit, body)
    }

    private func forEach(_ filter: HistoryFilter, limit: Int?, _ body: (StoredReading) throws -> Void) throws {
        var filter = filter
        var left = limit ?? .max
        while left > 0 {
            let size = min(left, Self.pageSize)
            let page = try database { try self.page(filter, size: size, in: $0) }
            for reading in page { try body(reading) }
            guard page.count == size, let last = page.last else { return }
            filter.after = last.sequence
            left -= size
        }
    }

    private func page(_ filter: HistoryFilter, size: Int, in database: Database) throws -> [StoredReading] {
        let statement = try database.cachedStatement(
            sql: "SELECT seq, \(HistoryRow.columns) FROM measurements WHERE \(filter.condition) ORDER BY seq LIMIT ?")
        let rows = try Row.fetchCursor(statement, arguments: filter.arguments + [size])
        var page: [StoredReading] = []
        while let row = try rows.next() {
            guard let number = Int64.fromDatabaseValue(row[1]), let key = try key(of: number, in: database),
                let reading = HistoryRow.decode(row, series: key)
            else { throw HistoryError.damaged(path: path) }
            page.append(reading)
        }
        return page
    }

    private func key(of number: Int64, in database: Database) throws -> SeriesKey? {
        if let key = series.withLock({ $0[number] }) { return key }
        let statement = try database.cachedStatement(sql: "SELECT \(SeriesKey.columns) FROM series WHERE id = ?")
        guard let row = try Row.fetchOne(statement, arguments: [number]), let key = SeriesKey(row) else { return nil }
        series.withLock { series in
            if series.count >= 4096 { series.removeAll() }
            series[number] = key
        }
        return key
    }

    func database<Result>(_ body: (Database) throws -> Result) throws -> Result {
        do {
            return try queue.read(body)
        } catch {
            throw HistoryError(error, path: path)
        }
    }

    /// Opens for reading. A database in WAL mode wants a file beside it even to be read; where we may make none and
    /// no writer has left one, nobody is writing, and it is read as it lies.
    private static func open(_ file: String, path: String) throws -> DatabaseQueue {
        do {
            return try open(file, checkedAs: path)
        } catch let error as DatabaseError {
            let code = error.extendedResultCode.primaryResultCode
            guard code == .SQLITE_CANTOPEN || code == .SQLITE_READONLY, access("\(file)-wal", F_OK) != 0
            else { throw error }
            return try open("file:\(escaped(file))?immutable=1", checkedAs: path)
        }
    }

    private static func open(_ file: String, checkedAs path: String) throws -> DatabaseQueue {
        var configuration = GRDB.Configuration()
        configuration.label = "history reader"
        configuration.readonly = true
        configuration.busyMode = .timeout(2)
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -1024") }
        let queue = try DatabaseQueue(path: file, configuration: configuration)
        try queue.read { try HistorySchema.check($0, path: path) }
        return queue
    }

    /// A path as a URI spells it.
    private static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    }
}
