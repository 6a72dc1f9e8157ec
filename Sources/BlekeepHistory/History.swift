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

    let access: HistoryAccess
    let state: Mutex<HistoryState>
    /// The connection of publishers.
    let log: Mutex<KeptReader>
    /// Limits that the next piece of work takes.
    private let newLimits = Mutex<HistoryLimits?>(nil)
    /// Whether `state.salvage` isn't empty.
    private let copies = Atomic(false)

    /// Opens the history at `path`. Creates it, and the folders above it (mode 0750), if there is none.
    ///
    /// Renames a damaged history to `PATH.corrupt.TIME`. A new one continues with higher sequence numbers.
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
        access = HistoryAccess(path: path, notify: notify)
        var first = HistoryState(limits)
        first.isOneOff = isOneOff
        do throws(HistoryError) { _ = try HistoryDatabase.begin(&first, path: path, notify: notify) } catch {
            guard waits, error.isPassing else { throw error }
        }
        copies.store(first.salvage != nil, ordering: .relaxed)
        state = Mutex(first)
        // A small history is copied before the poller reads the ledger of the earlier run.
        let end = MachineClock.awake() + Self.patience
        do { while isCopying, MachineClock.awake() < end { try upkeep() } } catch {
            let reason = HistoryError(error, path: path)
            guard waits, reason.isPassing else { throw reason }
        }
    }

    /// The longest time that a start copies from a damaged history.
    private static let patience: Duration = .seconds(1)

    deinit {
        close()
    }

    /// Closes the database, so that another process can append to it. Later appends throw. While another thread commits, it
    /// does nothing, and leaves that to the end of the process.
    package func close() {
        log.withLock { $0.close() }
        state.withLockIfAvailable { state in
            state.drop()
            state.lock = nil
            state.isClosed = true
        }
    }

    /// Takes new limits. Call it before a piece of work.
    private func begin(_ state: inout HistoryState) {
        let limits = newLimits.withLock { limits in
            defer { limits = nil }
            return limits
        }
        if let limits, state.upkeep.change(limits), let queue = state.queue { state.upkeep.begin(queue) }
    }

    /// Call this after each use of the state that may open the database.
    private func end(_ state: borrowing HistoryState) { copies.store(state.salvage != nil, ordering: .relaxed) }

    /// Takes readings in this order, and the rest, all or none, in one transaction.
    ///
    /// - Throws: `HistoryError`; the history can still be used, and the same readings appended again.
    package func append(
        _ readings: [Reading], _ heartbeat: Heartbeat?, _ changes: LedgerChanges, durable: Bool
    ) throws -> [StoredReading] {
        let isEmpty = readings.isEmpty && heartbeat == nil && changes.isEmpty
        if isEmpty, !durable { return [] }
        return try state.withLock { state in
            begin(&state)
            defer { end(state) }
            do throws(HistoryError) {
                return try access.append(readings, heartbeat, changes, durable: durable, &state)
            } catch {
                guard HistoryRepair.helps(against: error, wasOurs: true) else { throw error }
                return try access.repaired(&state) { state throws(HistoryError) in
                    try access.append(readings, heartbeat, changes, durable: durable, &state)
                }
            }
        }
    }

    /// Changes the space on the disk, with the next piece of work.
    package func change(_ limits: HistoryLimits) { newLimits.withLock { $0 = limits } }

    package var isCopying: Bool { copies.load(ordering: .relaxed) }

    package var needsUpkeep: Bool {
        state.withLock { state in
            begin(&state)
            return state.salvage != nil || state.upkeep.isDue(after: state.last)
        }
    }

    package func upkeep() throws { try upkeep(slice: Upkeep.slice) }

    func upkeep(slice: Duration) throws {
        try state.withLock { state in
            begin(&state)
            defer { end(state) }
            do {
                let queue = try access.database(&state)
                guard state.salvage == nil else { return try state.copySome(queue, path: path, notify: access.notify) }
                let last = state.last
                try queue.writeWithoutTransaction { database in
                    try state.setDurable(false, in: database)
                    let place = state.place
                    if try state.upkeep.step(
                        in: database, file: place, through: last, slice: slice, notify: access.notify)
                    {
                        state.series.reset()
                    }
                }
            } catch {
                state.forget()
                throw HistoryError(error, path: path)
            }
        }
    }

    package func lastHeartbeat() throws -> Heartbeat? { try read(HeartbeatTables.last) }

    /// Reads with the writer's connection, which opens the database if it isn't open.
    private func read<Result: Sendable>(_ body: @Sendable (Database) throws -> Result) throws -> Result {
        try state.withLock { state in
            defer { end(state) }
            do { return try access.database(&state).read(body) } catch { throw HistoryError(error, path: path) }
        }
    }

    /// Removes the readings through this sequence number. blekeep never uses their numbers again.
    ///
    /// - Returns: the number of removed readings.
    package func remove(through sequence: Int64) throws -> Int {
        try state.withLock { state in
            do {
                return try access.database(&state).write { database in
                    try database.execute(
                        sql: "UPDATE upkeep SET given = ?", arguments: [Self.lastSequence(in: database)])
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

    package func lastAdapters() throws -> [GatewayStatus.Adapter] {
        try read(LedgerRows.keeper)?.adapters ?? []
    }

    static func lastSequence(in database: Database) throws -> Int64 {
        try givenSequence(in: database) ?? 0
    }

    /// The highest sequence number of any reading so far; `nil` without readings.
    static func givenSequence(in database: Database) throws -> Int64? {
        let statement = try database.cachedStatement(
            sql: "SELECT max(seq) FROM (SELECT max(seq) AS seq FROM measurements UNION ALL SELECT given FROM upkeep)")
        return try Int64.fetchOne(statement).map { max(0, $0) }
    }

    /// A bound for counts and sequence numbers: a row with a larger one is damaged. Sums of a few can't overflow.
    static let maxNumber: Int64 = 1 << 52
}
