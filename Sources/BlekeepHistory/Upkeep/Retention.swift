import BlekeepOutputs
internal import GRDB
import RunLoop

/// The limits of a history on the disk, in bytes.
package struct HistoryLimits: Sendable, Hashable {
    /// For readings, with the database's log. The oldest make room for new ones.
    package var size: Int64
    /// For the summaries of removed readings. Those of five minutes are removed first.
    package var rollups: Int64
    /// The free space for other programs, at most 5 % of the disk. The history stops growing when less is free.
    package var reserve: Int64

    package init(_ configuration: HistoryConfiguration = HistoryConfiguration()) {
        size = max(configuration.size, HistoryConfiguration.leastSize)
        rollups = max(configuration.rollups, HistoryConfiguration.leastRollups)
        reserve = max(configuration.reserve, 0)
    }

    /// How large the database's log may become.
    var log: Int64 { min(Self.maxLog, size / 8) }

    static let maxLog: Int64 = 4 << 20
}

/// Removes the oldest readings, a few with each commit: only readings in the rollups, and only when there is no room.
struct Retention {
    var limits: HistoryLimits
    /// Whether more is to be removed, and can be.
    private(set) var isOver = false
    /// Whether the oldest readings aren't in the rollups yet.
    private(set) var isBlocked = false

    init(_ limits: HistoryLimits) { self.limits = limits }

    /// Readings between two looks at the clock.
    private static let batch = 256

    private struct State {
        var rolled: Int64
        var rollupBytes: Int64
        /// Whether the log has announced the removal of readings.
        var isNoticed: Bool
    }

    /// Removes what is too much, within a transaction.
    ///
    /// - Parameters:
    ///   - file: the database.
    ///   - end: the time to begin no further batch.
    ///   - notify: called with a sentence for the log, before the first removal.
    mutating func trim(in database: Database, file: String, until end: Duration, notify: (String) -> Void) throws {
        isOver = false
        isBlocked = false
        // Without its row, or with a damaged one, nothing is known to be too much.
        guard let state = try Self.state(in: database) else { return }
        try trimRollups(state.rollupBytes, in: database, until: end)
        let room = try room(for: file, state, in: database)
        let used = try Self.used(in: database) - state.rollupBytes
        if !state.isNoticed, used > room - room / 16 { try announce(used, in: database, notify: notify) }
        guard used > room else { return }
        var left = used - room
        repeat {
            guard try Self.removeOldest(through: state.rolled, in: database) else {
                isBlocked = true
                return
            }
            left = try Self.used(in: database) - state.rollupBytes - room
        } while left > 0 && MachineClock.awake() < end
        isOver = isOver || left > 0
    }

    /// Returns the used part of the file, in bytes.
    static func used(in database: Database) throws -> Int64 {
        func number(_ name: String) throws -> Int64 {
            try Int64.fetchOne(database.cachedStatement(sql: "PRAGMA \(name)")) ?? 0
        }
        return try (number("page_count") - number("freelist_count")) * number("page_size")
    }

    private static func state(in database: Database) throws -> State? {
        let row = try Row.fetchOne(database.cachedStatement(sql: "SELECT rolled, rollup_bytes, noticed FROM upkeep"))
        guard let row, let rolled = Int64.stored(row[0]), let bytes = Int64.stored(row[1])
        else { return nil }
        return State(
            rolled: rolled, rollupBytes: min(max(0, bytes), History.maxNumber),
            isNoticed: Int64.stored(row[2]) != 0)
    }

    /// How much the readings may use. Where the disk has little left, or the log has more than its share, it is what they
    /// use now: the file doesn't grow any more, but nothing is removed that would make it no smaller.
    private func room(for file: String, _ state: State, in database: Database) throws -> Int64 {
        let log = HistoryFile.logSize(of: file)
        let room = limits.size - max(limits.log, log)
        guard log > limits.log || isDiskShort(file) else { return room }
        let pages = try Int64.fetchOne(database.cachedStatement(sql: "PRAGMA page_count")) ?? 0
        let growth = Self.growth * 4096
        let now = max(HistoryConfiguration.leastSize, pages * 4096 - growth - state.rollupBytes)
        return isDiskShort(file) ? min(limits.size - limits.log, now) : min(limits.size - limits.log, max(room, now))
    }

    /// Whether the disk has less left than is for other programs.
    private func isDiskShort(_ file: String) -> Bool {
        guard let space = FileSystemSpace(of: file) else { return false }
        return space.free < min(UInt64(limits.reserve), space.total / 20)
    }

    /// Pages that are kept free for the next commits where the file should grow no more.
    private static let growth: Int64 = 32

    private func announce(_ used: Int64, in database: Database, notify: (String) -> Void) throws {
        try database.cachedStatement(sql: "UPDATE upkeep SET noticed = 1").execute()
        notify(
            """
            the history has used \(used >> 20) of \(limits.size >> 20) MiB: when they are full, its oldest readings make room \
            for new ones; summaries of 5 minutes and an hour stay; 'history: {size: …}' gives it more
            """)
    }

    // MARK: Removal

    /// - Returns: whether there was something to remove.
    private static func removeOldest(through rolled: Int64, in database: Database) throws -> Bool {
        let last = try Int64.fetchOne(
            database.cachedStatement(
                sql: "SELECT max(seq) FROM (SELECT seq FROM measurements WHERE seq <= ? ORDER BY seq LIMIT \(batch))"),
            arguments: [rolled])
        // The newest reading stays, and with it the number of the next.
        guard let last,
            try Int64.fetchOne(database.cachedStatement(sql: "SELECT max(seq) FROM measurements")) ?? 0 > last
        else { return false }
        for sql in [
            "DELETE FROM measurements WHERE seq <= ?", "DELETE FROM spans WHERE last <= ?",
            "DELETE FROM clocks WHERE first < (SELECT max(first) FROM clocks WHERE first <= ?)",
        ] {
            try database.cachedStatement(sql: sql).execute(arguments: [last])
        }
        return true
    }

    /// Removes the oldest rollups, those of five minutes first.
    private mutating func trimRollups(_ bytes: Int64, in database: Database, until end: Duration) throws {
        var bytes = bytes
        guard bytes > limits.rollups else { return }
        repeat {
            let oldest = try Row.fetchOne(
                database.cachedStatement(
                    sql: "SELECT minutes, period, series FROM rollups ORDER BY minutes, period, series LIMIT 1"))
            guard let oldest else { return }
            let place = StatementArguments(Array(oldest.databaseValues))
            let texts = HistoryRow.Kind.texts
            let counts = try Row.fetchOne(
                database.cachedStatement(
                    sql: """
                        SELECT count(*), total(kind IN (\(texts))) FROM rollups
                        WHERE minutes = ? AND period = ? AND series = ?
                        """), arguments: place)
            let rows = counts.flatMap { Int64.stored($0[0]) } ?? 0
            let withText = Int64(counts.flatMap { Double.fromDatabaseValue($0[1]) } ?? 0)
            try database.cachedStatement(sql: "DELETE FROM rollups WHERE minutes = ? AND period = ? AND series = ?")
                .execute(arguments: place)
            let gone = rows * RollupBucket.bytes + withText * RollupBucket.moreWithText
            bytes -= max(1, gone)
            try database.cachedStatement(sql: "UPDATE upkeep SET rollup_bytes = max(0, rollup_bytes - ?)")
                .execute(arguments: [gone])
        } while bytes > limits.rollups && MachineClock.awake() < end
        isOver = bytes > limits.rollups
    }
}
