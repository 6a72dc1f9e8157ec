internal import GRDB
import RunLoop

/// Adds readings to the rollups, each once and in order. The same transaction stores the last reading's number.
struct Roller {
    private var buckets: [RollupKey: RollupBucket] = [:]
    private var bytesBefore: [RollupKey: Int64] = [:]
    private var lastOfSeries: [Int64: (sequence: Int64, period: Int64)] = [:]

    /// Readings between two looks at the clock.
    private static let batch = 512
    /// The most readings in a span.
    private static let longestSpan: Int64 = 4096

    /// The last reading in the rollups.
    static func rolled(in database: Database) throws -> Int64 {
        max(0, try Int64.fetchOne(database.cachedStatement(sql: "SELECT rolled FROM upkeep")) ?? 0)
    }

    /// Takes the next readings, within a transaction.
    ///
    /// - Parameters:
    ///   - last: the last one that may be taken.
    ///   - end: the time to stop.
    /// - Returns: the last one that is in the rollups now.
    static func roll(in database: Database, through last: Int64, until end: Duration) throws -> Int64 {
        var roller = Roller()
        var rolled = try Self.rolled(in: database)
        let before = rolled
        repeat {
            guard let next = try roller.roll(after: rolled, through: last, in: database) else {
                rolled = max(rolled, last)
                break
            }
            rolled = next
        } while MachineClock.awake() < end
        if rolled > before { try roller.write(rolled, in: database) }
        return rolled
    }

    /// - Returns: the last one of them; `nil` when there were none.
    private mutating func roll(after first: Int64, through last: Int64, in database: Database) throws -> Int64? {
        let statement = try database.cachedStatement(
            sql: """
                SELECT seq, series, time_ms, kind, coalesce(value, error_code) FROM measurements
                WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT \(Self.batch)
                """)
        var span: Span?
        let rows = try Row.fetchCursor(statement, arguments: [first, last])
        while let row = try rows.next() {
            // `HistoryInspection` reports damaged rows. They must not block the others.
            guard let sequence = Int64.stored(row[0]), let series = Int64.stored(row[1]),
                let time = Int64.stored(row[2])
            else { continue }
            span = Span(
                first: span?.first ?? sequence, last: sequence, from: min(span?.from ?? time, time),
                to: max(span?.to ?? time, time))
            guard let kind = Int64.stored(row[3]).flatMap(HistoryRow.Kind.init) else { continue }
            for length in Summary.Period.allCases {
                try add(kind, value: row[4], at: time, of: series, into: length, in: database)
            }
            let hours = Summary.Period.hour
            lastOfSeries[series] = (
                sequence, max(lastOfSeries[series]?.period ?? .min, hours.group(of: hours.start(of: time)))
            )
        }
        guard let span else { return nil }
        try Self.append(span, in: database)
        return span.last
    }

    /// Where some successive readings lie in time.
    private struct Span {
        var first: Int64
        var last: Int64
        var from: Int64
        var to: Int64
    }

    private static func append(_ span: Span, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: "SELECT first, from_ms, to_ms FROM spans ORDER BY first DESC LIMIT 1")
        var span = span
        if let row = try Row.fetchOne(statement), let first = Int64.stored(row[0]),
            let from = Int64.stored(row[1]), let to = Int64.stored(row[2]),
            first > 0, first < span.first, span.last - first < Self.longestSpan
        {
            span = Span(first: first, last: span.last, from: min(from, span.from), to: max(to, span.to))
        }
        try database.cachedStatement(sql: "INSERT OR REPLACE INTO spans VALUES (?, ?, ?, ?)")
            .execute(arguments: [span.first, span.last, span.from, span.to])
    }

    private mutating func add(
        _ kind: HistoryRow.Kind, value: DatabaseValue, at time: Int64, of series: Int64, into length: Summary.Period,
        in database: Database
    ) throws {
        let key = RollupKey(length, series: series, time: time)
        if buckets[key] == nil {
            let known = try Self.bucket(key, in: database)
            bytesBefore[key] = known?.bytes ?? 0
            buckets[key] = known ?? RollupBucket()
        }
        buckets[key]?.add(kind, value: value, at: time)
    }

    private static func bucket(_ key: RollupKey, in database: Database) throws -> RollupBucket? {
        let statement = try database.cachedStatement(
            sql: """
                SELECT \(RollupBucket.columns) FROM rollups
                WHERE minutes = ? AND period = ? AND series = ? AND start = ?
                """)
        return try Row.fetchOne(
            statement,
            arguments: [key.length.rawValue, key.length.group(of: key.start), key.series, key.start]
        ).flatMap { RollupBucket($0, from: 0) }
    }

    private func write(_ rolled: Int64, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO rollups (minutes, period, series, start, \(RollupBucket.columns))
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        var bytes: Int64 = 0
        for (key, bucket) in buckets where bucket.count > 0 {
            let place = [key.length.rawValue, key.length.group(of: key.start), key.series, key.start]
            try statement.execute(arguments: StatementArguments(place.map(\.databaseValue) + bucket.arguments))
            bytes += bucket.bytes - (bytesBefore[key] ?? 0)
        }
        for (series, last) in lastOfSeries {
            try database.cachedStatement(
                sql: "UPDATE series SET last_seq = max(last_seq, ?), last_period = max(last_period, ?) WHERE id = ?"
            ).execute(arguments: [last.sequence, last.period, series])
        }
        try database.cachedStatement(sql: "UPDATE upkeep SET rolled = ?, rollup_bytes = rollup_bytes + ?")
            .execute(arguments: [rolled, bytes])
    }
}
