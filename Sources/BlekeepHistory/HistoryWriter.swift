import BlekeepRecords
internal import GRDB
import RunLoop

/// The one that appends to a history: its open database, opened when needed, and cached values of it.
struct HistoryWriter: ~Copyable {
    let path: String
    /// Called with a sentence for the log.
    let notify: @Sendable (String) -> Void
    /// `nil` before the first attempt to open it, and after an error that the connection may not survive.
    var queue: DatabaseQueue?
    /// The last sequence number that was given.
    var last: Int64 = 0
    /// The file of `queue`, and the files of its log and of the log's index.
    var file: HistoryFile?
    var log: HistoryFile?
    var index: HistoryFile?
    var inspection = HistoryInspection()
    /// What is still to be copied from a damaged history.
    var salvage: Salvage?
    var upkeep: Upkeep
    var series = SeriesIndex()
    var clocks = ClockLog()
    var heartbeats = HeartbeatWriter()
    /// Whether commits are synchronous now; the pragma is switched when an append asks for the other.
    var isDurable = false
    /// The database without symbolic links; empty until the first attempt to open it.
    var place = ""
    /// `nil` before the history could be opened, and after `close`.
    var lock: HistoryLock?
    /// Whether the process ends by itself, after some ticks.
    let isOneOff: Bool
    /// Whether the path already held a blekeep database.
    var wasOurs = false
    /// Whether the database was open once.
    var isBegun = false
    var isClosed = false

    init(_ limits: HistoryLimits, path: String, isOneOff: Bool, notify: @escaping @Sendable (String) -> Void) {
        (self.path, self.notify, self.isOneOff) = (path, notify, isOneOff)
        upkeep = Upkeep(limits)
    }

    // MARK: Opening

    /// The open database.
    mutating func database(isChecked: Bool = false) throws(HistoryError) -> DatabaseQueue {
        guard !isClosed else { throw .failed(path: path, reason: "it is closed") }
        guard isBegun else { return try begin() }
        let file = place
        var isShorter = false
        if let queue {
            let now = HistoryFile(file)
            if let now, let before = self.file, now.isSame(as: before) {
                self.file = now
                if now.size >= before.size { return queue }
                // Another program ran VACUUM on the database, or emptied it. A new connection shows which. It is the
                // same database, so its log goes on.
                isShorter = true
                drop()
            } else {
                try HistoryRepair.leave(&self, file: file, path: path)
                notify("the history \(path) was removed or replaced by another program; blekeep opens what is there")
            }
        }
        do {
            let queue = try HistoryDatabase.open(file, path: path, isChecked: isChecked, after: last) {
                if isShorter { notify("the history \(path) has lost readings; numbers go on above them") }
            }
            opened(queue)
            return queue
        } catch { throw HistoryError(error, path: path) }
    }

    /// Locks and opens the history for the first time.
    @discardableResult
    mutating func begin() throws(HistoryError) -> DatabaseQueue {
        if lock == nil {
            try HistoryFile.makeFolders(above: try HistoryFile.plain(path))
            place = try HistoryFile.resolved(path)
            try HistoryFile.checkKind(place, path: path)
            try HistoryFile.checkNames(place, path: path)
            try HistorySchema.checkHead(of: place, path: path)
            wasOurs = HistoryLock.isSigned(place)
            lock = try HistoryLock(place, path: path, wasOurs: wasOurs, isOneOff: isOneOff)
        }
        let queue: DatabaseQueue
        do throws(HistoryError) {
            queue = try openTwice()
        } catch {
            guard HistoryRepair.helps(against: error, wasOurs: wasOurs) else { throw error }
            queue = try HistoryRepair.replace(place, path: path, after: 0, notify: notify)
        }
        opened(queue)
        lock?.sign()
        // Only after the checks, because another program's file must keep its mode.
        if let mode = HistoryMode.tighten(place) {
            let text = String(mode, radix: 8)
            notify("other users could read the history \(path); its files have the mode 0\(text) now")
        }
        return queue
    }

    /// Opens the database, and tries again after damage, because a short failure of the disk looks the same.
    private func openTwice() throws(HistoryError) -> DatabaseQueue {
        do { return try HistoryDatabase.open(place, path: path, isChecked: true) } catch {
            let reason = HistoryError(error, path: path)
            guard HistoryRepair.helps(against: reason, wasOurs: wasOurs) else { throw reason }
        }
        do { return try HistoryDatabase.open(place, path: path, isChecked: true) } catch {
            throw HistoryError(error, path: path)
        }
    }

    /// Takes the open database.
    private mutating func opened(_ queue: DatabaseQueue) {
        self.queue = queue
        isBegun = true
        // A larger number is damaged, and must not continue in the new history.
        if let given = try? queue.read(History.lastSequence), given < History.maxNumber { last = max(last, given) }
        upkeep.begin(queue)
        let file = place
        salvage = (try? queue.read { try Salvage.next(in: $0, of: file) }) ?? nil
        self.file = HistoryFile(file)
        log = HistoryFile("\(file)-wal")
        index = HistoryFile("\(file)-shm")
    }

    /// Forgets cached rows, which may have changed.
    mutating func forget() {
        series.reset()
        clocks.reset()
        heartbeats.reset()
    }

    /// Closes the database, so that the next access opens it again.
    mutating func drop() {
        queue?.end()
        queue = nil
        isDurable = false
        forget()
    }

    // MARK: Appending

    /// Appends readings, a heartbeat and the ledger's changes in one transaction.
    ///
    /// Retries what failed: first with the database opened again, because a temporary disk failure looks like damage, and
    /// then with a new database.
    mutating func append(
        _ readings: [Reading], _ heartbeat: Heartbeat?, _ changes: LedgerChanges, durable: Bool
    ) throws(HistoryError) -> [StoredReading] {
        do throws(HistoryError) {
            return try commit(readings, heartbeat, changes, durable: durable, to: try database())
        } catch {
            guard HistoryRepair.helps(against: error, wasOurs: true) else { throw error }
        }
        do throws(HistoryError) {
            return try commit(readings, heartbeat, changes, durable: durable, to: try database(isChecked: true))
        } catch {
            guard isBegun, !isClosed, HistoryRepair.helps(against: error, wasOurs: true) else { throw error }
            drop()
            inspection = HistoryInspection()
            opened(try HistoryRepair.replace(place, path: path, after: last, notify: notify))
            return try commit(readings, heartbeat, changes, durable: durable, to: try database())
        }
    }

    private mutating func commit(
        _ readings: [Reading], _ heartbeat: Heartbeat?, _ changes: LedgerChanges, durable: Bool,
        to queue: DatabaseQueue
    ) throws(HistoryError) -> [StoredReading] {
        do {
            let stored = try queue.writeWithoutTransaction { database in
                if durable { try inspection.step(database, path: path) }
                try setDurable(durable, in: database)
                // Without new rows, a checkpoint writes earlier commits to disk.
                if readings.isEmpty, heartbeat == nil, changes.isEmpty { try database.checkpoint(.passive) }
                return try insert(readings, heartbeat, changes, in: database)
            }
            last = stored.last?.sequence ?? last
            return stored
        } catch {
            forget()
            let reason = HistoryError(error, path: path)
            if !reason.leavesConnectionGood { drop() }
            throw reason
        }
    }

    /// Sets whether later commits survive a power cut. Call it outside a transaction, where SQLite accepts the pragma.
    mutating func setDurable(_ durable: Bool, in database: Database) throws {
        guard durable != isDurable else { return }
        try database.cachedStatement(sql: durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
            .execute()
        isDurable = durable
    }

    private mutating func insert(
        _ readings: [Reading], _ heartbeat: Heartbeat?, _ changes: LedgerChanges, in database: Database
    ) throws -> [StoredReading] {
        var stored: [StoredReading] = []
        stored.reserveCapacity(readings.count)
        try database.inTransaction(.immediate) {
            let statement = try database.cachedStatement(
                sql: """
                    INSERT INTO measurements (\(HistoryRow.columns), seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """)
            var sequence = try History.lastSequence(in: database) ?? 0
            guard sequence < History.maxNumber else { throw HistoryError.damaged(path: path) }
            if let clocks = changes.clocks, !readings.isEmpty {
                if try self.clocks.record(clocks, from: sequence + 1, in: database) { upkeep.resume() }
            }
            for reading in readings {
                sequence += 1
                let number = try series.number(of: Series(reading), in: database)
                try statement.execute(arguments: HistoryRow.arguments(reading, series: number, sequence: sequence))
                stored.append(StoredReading(sequence: sequence, reading: reading))
            }
            if let heartbeat { try heartbeats.write(heartbeat, sequence: sequence, in: database) }
            try LedgerRows.write(changes, in: database)
            if !readings.isEmpty { try upkeep.trim(in: database, file: place, notify: notify) }
            return .commit
        }
        return stored
    }

    // MARK: Upkeep

    /// Does some of the history's own work.
    mutating func work(for slice: Duration) throws(HistoryError) {
        do {
            let queue = try database()
            guard salvage == nil else { return try copySome(to: queue, for: slice) }
            let (last, file) = (last, place)
            try queue.writeWithoutTransaction { database in
                try setDurable(false, in: database)
                if try upkeep.step(in: database, file: file, through: last, slice: slice, notify: notify) {
                    series.reset()
                }
            }
        } catch {
            forget()
            throw HistoryError(error, path: path)
        }
    }

    /// Copies a part of a damaged history.
    private mutating func copySome(to queue: DatabaseQueue, for slice: Duration) throws {
        guard var salvage else { return }
        let end = MachineClock.awake() + slice
        if salvage.isSurveying {
            // Not copied: it may be large.
            self.salvage = nil
            salvage.survey(until: end)
            self.salvage = salvage
            return
        }
        var isDone = false
        try queue.writeWithoutTransaction { database in
            try setDurable(false, in: database)
            try database.inTransaction(.immediate) {
                isDone = try salvage.copy(to: database, &series, until: end)
                return .commit
            }
        }
        self.salvage = salvage
        guard isDone else { return }
        notify(salvage.words(path: path))
        let place = place
        self.salvage = try queue.read { try Salvage.next(in: $0, of: place) }
    }
}
