internal import GRDB
import RunLoop

/// A history's own work, a little at a time: to correct times when the clock was set, to take readings into the rollups,
/// and to let the oldest make room.
struct Upkeep {
    private var retention: Retention
    /// Whether the last step left work.
    private var isBehind = true
    /// The newest reading at the last step that left no work, and the time of that step.
    private var done: Int64 = 0
    private var doneAt = MachineClock.awake()
    private var log = LogWatch()

    /// A step begins no further part after this time. Each step does at least one, so that a slow machine comes to an
    /// end, too.
    static let slice: Duration = .milliseconds(3)
    /// Readings wait for the rollups no longer than this, unless they wait for the clock.
    private static let pause: Duration = .seconds(300)
    /// With this many new readings, upkeep starts at once.
    private static let most: Int64 = 4096

    init(_ limits: HistoryLimits) { retention = Retention(limits) }

    /// - Returns: whether the limits are new.
    mutating func change(_ limits: HistoryLimits) -> Bool {
        guard limits != retention.limits else { return false }
        retention.limits = limits
        isBehind = true
        return true
    }

    /// Takes a database that was opened.
    mutating func begin(_ queue: DatabaseQueue) {
        isBehind = true
        // Readings are stored even if this fails.
        let log = retention.limits.log
        try? queue.writeWithoutTransaction { database in
            // In the log, each page has a header of 24 bytes. Leave room for the commit that reaches the limit.
            let pages = max(16, log / 4120 - 32)
            try database.execute(sql: "PRAGMA journal_size_limit = \(log); PRAGMA wal_autocheckpoint = \(pages)")
            try Self.restore(database)
        }
    }

    /// Restores a lost row of `upkeep` from the spans.
    private static func restore(_ database: Database) throws {
        guard try Int64.fetchOne(database, sql: "SELECT id FROM upkeep") == nil else { return }
        let texts = HistoryRow.Kind.texts
        try database.execute(
            sql: """
                INSERT INTO upkeep
                SELECT 1, NULL, (SELECT max(0, ifnull(max(last), 0)) FROM spans),
                    count(*) * \(RollupBucket.bytes) + total(kind IN (\(texts))) * \(RollupBucket.moreWithText), 0
                FROM rollups
                """)
    }

    /// Marks upkeep as due.
    mutating func resume() { isBehind = true }

    /// Whether there is work.
    ///
    /// - Parameter last: the number of the last reading.
    func isDue(after last: Int64) -> Bool {
        isBehind || log.isDue(at: MachineClock.awake()) || last - done >= Self.most
            || last > done && MachineClock.awake() - doneAt >= Self.pause
    }

    /// Makes room for what a commit brings, within its transaction.
    mutating func trim(in database: Database, file: String, notify: (String) -> Void) throws {
        try retention.trim(in: database, file: file, until: MachineClock.awake() + Self.slice, notify: notify)
        if retention.isOver { isBehind = true }
        if let line = log.see(HistoryFile.logSize(of: file), limit: retention.limits.log) { notify(line) }
    }

    /// Does some of the work. Returns whether it removed series; cached numbers of series are then invalid.
    mutating func step(
        in database: Database, file: String, through last: Int64, slice: Duration, notify: (String) -> Void
    ) throws -> Bool {
        let end = MachineClock.awake() + slice
        isBehind = true
        var removed = 0
        try database.inTransaction(.immediate) {
            if try ClockLog.correct(in: database, until: end) { return .commit }
            let settled = min(last, try ClockLog.settled(in: database))
            let rolled = try Roller.roll(in: database, through: settled, until: end)
            guard rolled >= settled else { return .commit }
            try retention.trim(in: database, file: file, until: end, notify: notify)
            if retention.isBlocked, settled < last {
                // There is no room to wait for the clock.
                try ClockLog.leave(in: database)
            } else {
                isBehind = retention.isOver
            }
            // Readings that are not in the rollups may be of any series.
            if !isBehind, rolled >= last { removed = try SeriesIndex.prune(database) }
            return .commit
        }
        guard !isBehind else { return false }
        done = last
        doneAt = MachineClock.awake()
        if let line = try shrinkLog(of: file, in: database) { notify(line) }
        return removed > 0
    }

    /// Empties the log when it is larger than its share: SQLite looks at its size only after a commit, however much that
    /// has added, and keeps the file.
    ///
    /// - Returns: a line for poll's log.
    private mutating func shrinkLog(of file: String, in database: Database) throws -> String? {
        let limit = retention.limits.log
        guard HistoryFile.logSize(of: file) > limit else { return log.see(0, limit: limit) }
        // Best effort, without waiting: while another program reads, the log stays, and the next step tries again.
        try database.execute(sql: "PRAGMA busy_timeout = 0")
        defer { try? database.execute(sql: "PRAGMA busy_timeout = \(HistoryDatabase.busyMilliseconds)") }
        _ = try? database.checkpoint(.truncate)
        return log.tried(HistoryFile.logSize(of: file), limit: limit, at: MachineClock.awake()) {
            HistoryHolder.reader(of: file)
        }
    }
}

/// Decides when to empty a log that has outgrown its share, and when to report that it can't be emptied: as long as a
/// program stays in a transaction, SQLite can't begin the log again. Pure.
struct LogWatch {
    private var isOver = false
    private var triedAt: Duration?
    private var isReported = false

    static let pause: Duration = .seconds(10)

    func isDue(at now: Duration) -> Bool { isOver && triedAt.map { now - $0 >= Self.pause } ?? true }

    /// Takes the log's size after a commit. Returns a line when a reported log has its share again.
    mutating func see(_ size: Int64, limit: Int64) -> String? {
        isOver = size > limit
        guard !isOver, isReported else { return nil }
        isReported = false
        return "the history's log has its usual size again"
    }

    /// Takes the log's size after an attempt to empty it.
    ///
    /// - Parameter reader: returns the program that may be the reason.
    /// - Returns: a line when the log has grown to twice its share, or has its share again.
    mutating func tried(_ size: Int64, limit: Int64, at now: Duration, reader: () -> String?) -> String? {
        triedAt = now
        guard size >= 2 * limit, !isReported else { return see(size, limit: limit) }
        (isOver, isReported) = (true, true)
        let program = reader() ?? "a program"
        return """
            \(program) stays in a transaction on the history, so that its log has grown to \(HistorySize.text(size)), and \
            can't shrink; end that transaction
            """
    }
}
