import BlekeepRecords
internal import GRDB
import RunLoop

/// The open database of a history, and cached values of it.
struct HistoryState: ~Copyable {
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
    var isOneOff = false
    /// Whether the path already held a blekeep database.
    var wasOurs = false
    /// Whether the database was open once.
    var isBegun = false
    var isClosed = false

    init(_ limits: HistoryLimits) { upkeep = Upkeep(limits) }

    mutating func opened(_ queue: DatabaseQueue, at path: String) {
        self.queue = queue
        isBegun = true
        // A larger number is damaged, and must not continue in the new history.
        if let given = try? queue.read(History.givenSequence), given < History.maxNumber { last = max(last, given) }
        upkeep.begin(queue)
        salvage = (try? queue.read { try Salvage.next(in: $0, of: path) }) ?? nil
        file = HistoryFile(path)
        log = HistoryFile("\(path)-wal")
        index = HistoryFile("\(path)-shm")
    }

    /// Forgets cached rows, which may have changed.
    mutating func forget() {
        series.reset()
        clocks.reset()
        heartbeats.reset()
    }

    /// Closes the database, so that the next access opens it again.
    mutating func drop() {
        try? queue?.close()
        queue = nil
        isDurable = false
        forget()
    }

    // MARK: Writing

    /// Sets whether later commits survive a power cut. Call it outside a transaction, where SQLite accepts the pragma.
    mutating func setDurable(_ durable: Bool, in database: Database) throws {
        guard durable != isDurable else { return }
        try database.cachedStatement(sql: durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
            .execute()
        isDurable = durable
    }

    /// Appends readings, a heartbeat and the ledger's changes in one transaction.
    mutating func insert(
        _ readings: [Reading], heartbeat: Heartbeat?, changes: LedgerChanges, in database: Database, path: String,
        notify: (String) -> Void
    ) throws -> [StoredReading] {
        var stored: [StoredReading] = []
        stored.reserveCapacity(readings.count)
        try database.inTransaction(.immediate) {
            let statement = try database.cachedStatement(
                sql: """
                    INSERT INTO measurements (\(HistoryRow.columns), seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """)
            var sequence = try History.lastSequence(in: database)
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
            if let heartbeat {
                try heartbeats.write(heartbeat, sequence: sequence, in: database)
            }
            try LedgerRows.write(changes, in: database)
            if !readings.isEmpty { try upkeep.trim(in: database, file: place, notify: notify) }
            return .commit
        }
        return stored
    }

    /// Copies a part of a damaged history.
    mutating func copySome(_ queue: DatabaseQueue, path: String, notify: (String) -> Void) throws {
        guard var salvage else { return }
        let end = MachineClock.awake() + Upkeep.slice
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
