import BlekeepRecords
internal import GRDB
import Glibc
import RunLoop
import Synchronization

/// Every reading in order, in an SQLite database in WAL mode.
///
/// One history at a time may append to a file, in this process or any other; readers (`HistoryReader`) come and go
/// beside it, and `NoticeLog` adds notices. Calls block for as long as the disk takes and start no thread. Any thread may
/// call, but while a commit lasts, only `close`, `change`, `isCopying` and what publishers read don't wait for its end.
package final class History: Ledger, Sendable {
    /// The database file.
    package let path: String

    let writer: Mutex<HistoryWriter>
    /// The connection of publishers.
    let log: Mutex<KeptReader>
    /// Limits that the next piece of work takes.
    private let newLimits = Mutex<HistoryLimits?>(nil)
    /// Whether `writer.salvage` isn't empty.
    private let copies = Atomic(false)

    /// Opens the history at `path`. Creates it, and the folders above it (mode 0750), if there is none.
    ///
    /// Renames a damaged history to `PATH.corrupt.TIME`. A new one continues with higher sequence numbers.
    ///
    /// - Parameters:
    ///   - limits: the space on the disk.
    ///   - waits: whether to ignore a failure that may pass (`HistoryError.isPassing`). Then each append tries to open the
    ///     history again.
    ///   - isOneOff: whether the process ends by itself, after some ticks. Then its status isn't the poller's.
    ///   - notify: called with a sentence for the log, now and later.
    /// - Throws: `HistoryError`, `inUse` among others when another history appends to this file.
    package init(
        path: String, limits: HistoryLimits = HistoryLimits(), waits: Bool = false, isOneOff: Bool = false,
        notify: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(HistoryError) {
        // By default, the limit on the size of files kills the process. Now it is an error of the write.
        signal(SIGXFSZ, SIG_IGN)
        self.path = path
        // The poller's only thread must not wait for another program.
        log = Mutex(KeptReader(path: path, patience: .milliseconds(100)))
        var first = HistoryWriter(limits, path: path, isOneOff: isOneOff, notify: notify)
        do throws(HistoryError) { try first.begin() } catch {
            guard waits, error.isPassing else { throw error }
        }
        copies.store(first.salvage != nil, ordering: .relaxed)
        writer = Mutex(first)
        // A small history is copied before the poller reads the ledger of the earlier run.
        let end = MachineClock.awake() + Self.patience
        do { while isCopying, MachineClock.awake() < end { try upkeep() } } catch {
            let reason = HistoryError(error, path: path)
            guard waits, reason.isPassing else { throw reason }
        }
    }

    /// The longest time that a start copies from a damaged history.
    private static let patience: Duration = .seconds(1)

    deinit { close() }

    /// Closes the database, so that another process can append to it. Later appends throw. While another thread commits, it
    /// does nothing, and leaves that to the end of the process.
    package func close() {
        log.withLock { $0.close() }
        writer.withLockIfAvailable { writer in
            writer.drop()
            writer.lock = nil
            writer.isClosed = true
        }
    }

    /// Takes new limits. Call it before a piece of work.
    private func begin(_ writer: inout HistoryWriter) {
        let limits = newLimits.withLock { limits in
            defer { limits = nil }
            return limits
        }
        if let limits, writer.upkeep.change(limits), let queue = writer.queue { writer.upkeep.begin(queue) }
    }

    /// Call this after each use of the state that may open the database.
    private func end(_ writer: borrowing HistoryWriter) { copies.store(writer.salvage != nil, ordering: .relaxed) }

    /// Takes readings in this order, and the rest, all or none, in one transaction.
    /// Throws `HistoryError`; the history can still be used, and the same readings appended again.
    package func append(
        _ readings: [Reading], _ heartbeat: Heartbeat?, _ changes: LedgerChanges, durable: Bool
    ) throws -> [StoredReading] {
        let isEmpty = readings.isEmpty && heartbeat == nil && changes.isEmpty
        if isEmpty, !durable { return [] }
        return try writer.withLock { writer in
            begin(&writer)
            defer { end(writer) }
            if let loss = writer.logLoss() {
                log.withLock { $0.close() }
                writer.leaveLog(loss)
            }
            let stored = try writer.append(readings, heartbeat, changes, durable: durable)
            writer.noteLog()
            return stored
        }
    }

    /// Changes the space on the disk, with the next piece of work.
    package func change(_ limits: HistoryLimits) { newLimits.withLock { $0 = limits } }

    package var isCopying: Bool { copies.load(ordering: .relaxed) }

    package var needsUpkeep: Bool {
        writer.withLock { writer in
            begin(&writer)
            return writer.salvage != nil || writer.upkeep.isDue(after: writer.last)
        }
    }

    package func upkeep() throws { try upkeep(slice: Upkeep.slice) }

    func upkeep(slice: Duration) throws {
        try writer.withLock { writer in
            begin(&writer)
            defer { end(writer) }
            try writer.work(for: slice)
        }
    }

    package func lastHeartbeat() throws -> Heartbeat? { try read(HeartbeatTables.last) }

    /// Reads with the writer's connection, which opens the database if it isn't open.
    private func read<Result: Sendable>(_ body: @Sendable (Database) throws -> Result) throws -> Result {
        try writer.withLock { writer in
            defer { end(writer) }
            do { return try writer.database().read(body) } catch { throw HistoryError(error, path: path) }
        }
    }

    /// Removes the readings through this sequence number. blekeep never uses their numbers again.
    /// Returns the number of removed readings.
    package func remove(through sequence: Int64) throws -> Int {
        try writer.withLock { writer in
            do {
                return try writer.database().write { database in
                    try database.execute(
                        sql: "UPDATE upkeep SET given = ?", arguments: [Self.lastSequence(in: database) ?? 0])
                    try database.execute(sql: "DELETE FROM measurements WHERE seq <= ?", arguments: [sequence])
                    return database.changesCount
                }
            } catch {
                throw HistoryError(error, path: path)
            }
        }
    }

    package func lastKnown() throws -> (statuses: [DeviceStatus], entries: [LedgerEntry]) {
        try read(LedgerRows.lastKnown)
    }

    package func lastRules() throws -> [RuleStatus] { try read { try LedgerRows.rules(ofLastRun: false, in: $0) } }

    package func lastAdapters() throws -> [GatewayStatus.Adapter] { try read(LedgerRows.poller)?.adapters ?? [] }

    /// The highest sequence number of any reading so far; `nil` without readings.
    static func lastSequence(in database: Database) throws -> Int64? {
        let statement = try database.cachedStatement(
            sql: "SELECT max(seq) FROM (SELECT max(seq) AS seq FROM measurements UNION ALL SELECT given FROM upkeep)")
        return try Int64.fetchOne(statement).map { min(max(0, $0), maxNumber) }
    }

    /// A bound for counts and sequence numbers: a row with a larger one is damaged. Sums of a few can't overflow.
    static let maxNumber: Int64 = 1 << 52
}
