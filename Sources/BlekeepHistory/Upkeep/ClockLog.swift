import BlekeepRecords
internal import GRDB
import RunLoop

/// Records which readings have times of an unset clock, and corrects the times when the clock is set.
///
/// A gateway without a battery-backed clock starts in the past. Only the kernel's status of the clock counts.
struct ClockLog {
    enum State: Int64 {
        case unset, set, correcting, corrected
        /// The times stay uncorrected.
        case left
    }

    /// The last row of `clocks`; there is none as long as the clock was always set.
    private var last: (clocks: ClockReading, state: State)?
    private var isRead = false

    /// The longest wait for the clock to be set, since the start of the machine.
    static let patience: Duration = .seconds(86_400)
    /// Readings between two looks at the time.
    private static let batch = 512
    /// The most rows to keep, because a clock may be set often.
    private static let maxRows = 1000

    /// Forgets everything after a rollback.
    mutating func reset() { self = ClockLog() }

    /// Takes what the clocks say when readings from this number on come, within their transaction.
    /// Returns whether times no longer wait for the clock: it was set, or hardly ever will be.
    mutating func record(_ clocks: ClockReading, from number: Int64, in database: Database) throws -> Bool {
        try read(database)
        let isSet = clocks.isSynchronized != false
        if last == nil, isSet { return false }
        if isSet, last?.state != .set {
            try begin(.set, at: clocks, from: number, in: database)
            try Self.correct(clocks, in: database)
            try Self.leave(in: database)
            return true
        }
        if !isSet, isAnother(clocks) {
            try begin(.unset, at: clocks, from: number, in: database)
            try Self.leave(allBut: clocks.boot, in: database)
        }
        if !isSet, last?.state == .unset, clocks.sinceBoot > Self.patience {
            try Self.leave(in: database)
            last?.state = .left
            return true
        }
        return false
    }

    private func isAnother(_ clocks: ClockReading) -> Bool {
        guard let last, last.state != .set else { return true }
        return !clocks.isUnmoved(since: last.clocks)
    }

    private mutating func read(_ database: Database) throws {
        guard !isRead else { return }
        let row = try Row.fetchOne(
            database, sql: "SELECT boot, boot_ns, time_ms, state FROM clocks ORDER BY first DESC LIMIT 1")
        if let row, let boot = String.fromDatabaseValue(row[0]), let sinceBoot = Int64.stored(row[1]),
            let time = Int64.stored(row[2]), let state = Int64.stored(row[3]).flatMap(State.init)
        {
            let clocks = ClockReading(boot: boot, sinceBoot: .nanoseconds(sinceBoot), awake: .zero, time: time)
            last = (clocks, state)
        }
        isRead = true
    }

    private mutating func begin(
        _ state: State, at clocks: ClockReading, from number: Int64, in database: Database
    ) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO clocks VALUES (?, ?, ?, ?, ?, 0, 0)",
            arguments: [number, clocks.boot, clocks.sinceBoot.wholeNanoseconds, clocks.time, state.rawValue])
        try database.execute(
            sql: """
                DELETE FROM clocks WHERE first <= (
                    SELECT first FROM clocks ORDER BY first DESC LIMIT 1 OFFSET \(Self.maxRows))
                """)
        last = (clocks, state)
    }

    /// Marks the times since the same start of the machine for correction, after the clock was set.
    private static func correct(_ clocks: ClockReading, in database: Database) throws {
        try database.execute(
            sql: """
                UPDATE clocks SET state = ?, shift_ms = ? - (time_ms - boot_ns / 1000000), fixed = first - 1
                WHERE state = ? AND boot = ?
                """,
            arguments: [State.correcting.rawValue, clocks.timeOfBoot, State.unset.rawValue, clocks.boot])
    }

    /// Gives up the correction of times.
    static func leave(allBut boot: String? = nil, in database: Database) throws {
        try database.execute(
            sql: "UPDATE clocks SET state = ? WHERE state = ? AND (?3 IS NULL OR boot <> ?3)",
            arguments: [State.left.rawValue, State.unset.rawValue, boot])
    }

    // MARK: Upkeep

    /// The last reading before those whose time may still change.
    static func settled(in database: Database) throws -> Int64 {
        let sql = "SELECT min(first) FROM clocks WHERE state IN (\(State.unset.rawValue), \(State.correcting.rawValue))"
        return try Int64.fetchOne(database.cachedStatement(sql: sql)).map { max(1, $0) - 1 } ?? .max
    }

    /// Corrects the times of the next readings, within a transaction. Returns whether some are left.
    static func correct(in database: Database, until end: Duration) throws -> Bool {
        var isFirst = true
        while let row = try Row.fetchOne(database.cachedStatement(sql: next)),
            let first = Int64.fromDatabaseValue(row[0])
        {
            guard isFirst || MachineClock.awake() < end else { return true }
            isFirst = false
            guard Int64.stored(row[0]) != nil, let fixed = Int64.stored(row[1]), let through = Int64.stored(row[3]),
                let shift = Int64.stored(row[2]), shift.magnitude < History.maxNumber
            else {
                // A damaged row must not block the others.
                try database.cachedStatement(sql: "UPDATE clocks SET state = ? WHERE first = ?")
                    .execute(arguments: [State.left.rawValue, first])
                continue
            }
            let last = try Int64.fetchOne(
                database.cachedStatement(
                    sql: """
                        SELECT max(seq) FROM (
                            SELECT seq FROM measurements WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT \(batch))
                        """), arguments: [fixed, through])
            if let last {
                try database.cachedStatement(
                    sql: "UPDATE measurements SET time_ms = time_ms + ? WHERE seq > ? AND seq <= ?"
                ).execute(arguments: [shift, fixed, last])
            }
            try database.cachedStatement(sql: "UPDATE clocks SET fixed = ?, state = ? WHERE first = ?").execute(
                arguments: [last ?? through, (last == nil ? State.corrected : .correcting).rawValue, first])
        }
        return false
    }

    private static let next = """
        SELECT first, fixed, shift_ms,
            ifnull((SELECT min(first) - 1 FROM clocks AS later WHERE later.first > clocks.first), 9223372036854775807)
        FROM clocks WHERE state = \(State.correcting.rawValue) ORDER BY first LIMIT 1
        """
}

/// Which readings of a history came while the clock was not set, and were not corrected since.
struct UnsetTimes {
    private var ranges: [ClosedRange<Int64>] = []

    init(in database: Database) throws {
        let rows = try Row.fetchAll(database, sql: "SELECT first, state, fixed FROM clocks ORDER BY first")
        for (index, row) in rows.enumerated() {
            guard let first = Int64.stored(row[0]), let fixed = Int64.stored(row[2]),
                let state = Int64.stored(row[1]).flatMap(ClockLog.State.init)
            else { continue }
            let end = index + 1 < rows.count ? Int64.stored(rows[index + 1][0]).map { $0 - 1 } : nil
            let begin = state == .correcting ? max(first, fixed == .max ? .max : fixed + 1) : first
            guard state != .set, state != .corrected, begin <= end ?? .max else { continue }
            ranges.append(begin...(end ?? .max))
        }
    }

    func contains(_ sequence: Int64) -> Bool {
        ranges.contains { $0.contains(sequence) }
    }
}
