import Blekeep
internal import GRDB
import Synchronization

/// Every reading in order, in an SQLite database in WAL mode.
///
/// One history at a time may append to a file, in this process or any other; readers (`HistoryReader`) come and go
/// beside it. Calls block for as long as the disk takes and start no thread. Make it on the thread that uses it.
public final class History: Ledger, Sendable {
    /// The database file.
    public let path: String

    private let queue: DatabaseQueue
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var series = SeriesIndex()
        var heartbeats = HeartbeatWriter()
        /// Whether commits are synchronous now; the pragma is switched when an append asks for the other.
        var isDurable = false
        /// `nil` after `close`.
        var lock: HistoryLock?
    }

    /// Opens the history at `path`; makes it, and the folders above it (mode 0750), if there is none.
    ///
    /// - Throws: `HistoryError`, `inUse` among others when another history appends to this file.
    public init(path: String) throws(HistoryError) {
        let file = try HistoryFolder.plain(path)
        try HistoryFolder.make(above: file)
        let lock = try HistoryLock(path: file)
        do {
            queue = try DatabaseQueue(path: file, configuration: Self.configuration)
            try HistorySchema.prepare(queue, path: file)
        } catch {
            throw HistoryError(error, path: path)
        }
        self.path = path
        state = Mutex(State(lock: lock))
    }

    deinit {
        close()
    }

    /// Closes the database and lets others append to it; later appends throw. Done by itself at the end of its life.
    public func close() {
        state.withLock { state in
            try? queue.close()
            state.lock = nil
        }
    }

    /// Takes readings in this order, all or none, in one transaction.
    ///
    /// - Throws: `HistoryError`; the history can still be used, and the same readings appended again.
    public func append(_ readings: [Reading], durable: Bool) throws -> [StoredReading] {
        try append(readings, nil, LedgerChanges(), durable: durable)
    }

    /// The same with a heartbeat in the same transaction.
    public func append(_ readings: [Reading], _ heartbeat: Heartbeat, durable: Bool) throws -> [StoredReading] {
        try append(readings, heartbeat, LedgerChanges(), durable: durable)
    }

    package func append(
        _ readings: [Reading], _ heartbeat: Heartbeat?, _ changes: LedgerChanges, durable: Bool
    ) throws -> [StoredReading] {
        let isEmpty = readings.isEmpty && heartbeat == nil && changes.isEmpty
        if isEmpty, !durable { return [] }
        return try state.withLock { state in
            do {
                return try queue.writeWithoutTransaction { database in
                    try Self.setDurable(durable, &state, in: database)
                    // Nothing new, but what was appended before is to be safe, too: a checkpoint syncs it.
                    if isEmpty { try database.checkpoint(.passive) }
                    return try Self.insert(readings, heartbeat, changes, &state, in: database)
                }
            } catch {
                state.series.reset()
                state.heartbeats.reset()
                throw HistoryError(error, path: path)
            }
        }
    }

    public func lastHeartbeat() throws -> Heartbeat? {
        do {
            return try queue.read(HeartbeatTables.last)
        } catch {
            throw HistoryError(error, path: path)
        }
    }

    /// Removes the readings up to this sequence number and with it; the numbers are never given again.
    ///
    /// - Returns: how many there were.
    public func remove(through sequence: Int64) throws -> Int {
        try state.withLock { _ in
            do {
                return try queue.write { database in
                    try database.execute(sql: "DELETE FROM measurements WHERE seq <= ?", arguments: [sequence])
                    return database.changesCount
                }
            } catch {
                throw HistoryError(error, path: path)
            }
        }
    }

    package func lastKnown() throws -> (standings: [DeviceStanding], entries: [LedgerEntry]) {
        do { return try queue.read(LedgerRows.lastKnown) } catch { throw HistoryError(error, path: path) }
    }

    /// `PRAGMA synchronous` as the database has it: 1 is NORMAL, 2 is FULL.
    func synchronousMode() throws -> Int? {
        try queue.read { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
    }

    private static var configuration: GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.label = "history"
        configuration.journalMode = .wal
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(1)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA cache_size = -1024; PRAGMA journal_size_limit = 4194304")
        }
        return configuration
    }

    /// Sees to it that a commit from now on survives a power cut, or need not. Not within a transaction: SQLite
    /// ignores the pragma there.
    private static func setDurable(_ durable: Bool, _ state: inout State, in database: Database) throws {
        guard durable != state.isDurable else { return }
        try database.cachedStatement(sql: durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
            .execute()
        state.isDurable = durable
    }

    private static func insert(
        _ readings: [Reading], _ heartbeat: Heartbeat?, _ changes: LedgerChanges, _ state: inout State,
        in database: Database
    ) throws -> [StoredReading] {
        var stored: [StoredReading] = []
        stored.reserveCapacity(readings.count)
        try database.inTransaction(.immediate) {
            let statement = try database.cachedStatement(
                sql: "INSERT INTO measurements (\(HistoryRow.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
            for reading in readings {
                let number = try state.series.number(of: SeriesKey(reading), in: database)
                try statement.execute(arguments: HistoryRow.arguments(reading, series: number))
                stored.append(StoredReading(sequence: database.lastInsertedRowID, reading: reading))
            }
            if let heartbeat {
                let sequence = try stored.last?.sequence ?? Self.lastSequence(in: database)
                try state.heartbeats.write(heartbeat, sequence: sequence, in: database)
            }
            try LedgerRows.write(changes, in: database)
            return .commit
        }
        return stored
    }

    private static func lastSequence(in database: Database) throws -> Int64 {
        try Int64.fetchOne(database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'measurements'") ?? 0
    }
}
