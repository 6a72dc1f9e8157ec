import BlekeepRecords
internal import GRDB

extension HistoryReader {
    /// Passes the summary of each series and period with values to `body`, the oldest first.
    ///
    /// Most summaries come from the rollups. Newer readings are summarized here.
    ///
    /// - Parameters:
    ///   - query: the selection; a period that contains `since` or `until` counts completely.
    ///   - body: an error that it throws ends the call.
    package func summaries(
        _ query: HistoryQuery = HistoryQuery(), every period: Summary.Period, _ body: (Summary) throws -> Void
    ) throws { try summaries(SummaryPlan(query, period), body: body) }

    /// The same in the windows' period, but in five minutes for hours that aren't in one window, if they are kept. They
    /// come in the order of their middles.
    func summaries(_ query: HistoryQuery, toFit windows: SummaryWindows, body: (Summary) throws -> Void) throws {
        try summaries(SummaryPlan(query, windows.period, windows: windows), body: body)
    }

    private func summaries(_ plan: SummaryPlan, body: (Summary) throws -> Void) throws {
        try forEachGroup(plan) { plan, group, new in
            let buckets = plan.fitted(try new ?? database { try plan.buckets(of: group, in: $0) })
            for summary in try database({ try summaries(buckets, in: $0) }) { try body(summary) }
        }
    }

    /// Calls `body` with each device and period that has values: with the period's start in milliseconds since 1970, and the
    /// number of summaries with a value that `summaries` returns for them. The oldest is first. The sums stay in SQLite, so this
    /// takes a third of the time.
    package func times(
        _ query: HistoryQuery, every period: Summary.Period, _ body: (DeviceID, _ start: Int64, _ count: Int) -> Void
    ) throws {
        try forEachGroup(SummaryPlan(query, period)) { plan, group, new in
            if let new {
                for summary in try database({ try summaries(new, in: $0) })
                where summary.key.field != nil && summary.last != nil { body(summary.id, summary.start, 1) }
            } else {
                try database { try plan.times(of: group, in: $0, body) }
            }
        }
    }

    /// Calls `body` with each group of periods, and with the periods of those that have newer readings than the rollups.
    private func forEachGroup(
        _ plan: SummaryPlan, _ body: (SummaryPlan, Int64, [RollupKey: RollupBucket]?) throws -> Void
    ) throws {
        var fresh = try database { try foldNew(plan, in: $0) }
        var last: Int64?
        var logged = try database { try plan.loggedGroup(after: nil, in: $0) }
        while true {
            let kept = try database { try plan.group(after: last, in: $0) }
            let new = fresh.groups.keys.filter { $0 > last ?? .min }.min()
            guard let group = [kept, new, logged].compactMap(\.self).min() else { return }
            var buckets = fresh.groups.removeValue(forKey: group)
            if group == logged {
                buckets = try database { database in
                    var buckets = try buckets ?? plan.buckets(of: group, in: database)
                    try plan.addLogged(of: group, to: &buckets, in: database)
                    return buckets
                }
                logged = try database { try plan.loggedGroup(after: group, in: $0) }
            }
            try body(plan, group, buckets)
            last = group
        }
    }

    /// Folds the readings outside the rollups, and adds the rollups of the same groups. It needs one transaction, because
    /// the writer moves readings into the rollups meanwhile.
    private func foldNew(_ plan: SummaryPlan, in database: Database) throws -> SummaryFold {
        var fold = SummaryFold(plan.periods)
        var after = try Roller.rolled(in: database)
        while let last = try plan.fold(after: after, into: &fold, in: database) { after = last }
        for group in fold.groups.keys {
            var buckets = try plan.buckets(of: group, in: database)
            for (key, new) in fold.groups[group] ?? [:] { buckets[key, default: RollupBucket()].append(new) }
            fold.groups[group] = buckets
        }
        return fold
    }

    private func summaries(_ buckets: [RollupKey: RollupBucket], in database: Database) throws -> [Summary] {
        let ordered = buckets.filter { $1.count > 0 }.sorted {
            ($0.key.middle, $0.key.series) < ($1.key.middle, $1.key.series)
        }
        return try ordered.map { key, bucket in
            guard let series = try series(key.series, in: database) else { throw HistoryError.damaged(path: path) }
            return Summary(
                start: key.length.time(of: key.start), period: key.length, id: series.key.device,
                device: series.alias, address: series.key.address, key: series.key.series, name: series.name,
                count: bucket.count, minimum: bucket.minimum, mean: bucket.mean, maximum: bucket.maximum,
                last: bucket.value)
        }
    }
}

/// Periods of series in the groups in which the rollups keep them.
private struct SummaryFold {
    /// The first one has the groups.
    let periods: [Summary.Period]
    var groups: [Int64: [RollupKey: RollupBucket]] = [:]

    init(_ periods: [Summary.Period]) { self.periods = periods }

    mutating func add(_ kind: HistoryRow.Kind, value: DatabaseValue, series: Int64, at time: Int64) {
        let group = periods[0].group(of: periods[0].start(of: time))
        for period in periods {
            let key = RollupKey(period, series: series, time: time)
            groups[group, default: [:]][key, default: RollupBucket()].add(kind, value: value, at: time)
        }
    }
}

/// How summaries are read.
private struct SummaryPlan {
    let query: HistoryQuery
    let period: Summary.Period
    /// Windows that hours may not fit.
    private let windows: SummaryWindows?

    init(_ query: HistoryQuery, _ period: Summary.Period, windows: SummaryWindows? = nil) {
        self.query = query
        self.period = period
        self.windows = period == .hour ? windows : nil
        first = query.since.map(period.start) ?? .min
        last = query.until.map(period.start) ?? .max
    }

    /// The first and the last period.
    private let first: Int64
    private let last: Int64

    /// What is read: the hours, and the five minutes that may take their place.
    var periods: [Summary.Period] { windows == nil ? [period] : [period, .fiveMinutes] }

    /// The next group of periods in the rollups.
    func group(after group: Int64?, in database: Database) throws -> Int64? {
        guard group != .max else { return nil }
        let least = max(period.group(of: first), group.map { $0 + 1 } ?? .min)
        return try Int64.fetchOne(
            database.cachedStatement(
                sql: "SELECT min(period) FROM rollups WHERE minutes = ? AND period BETWEEN ? AND ?"),
            arguments: [period.rawValue, least, period.group(of: last)])
    }

    /// The next group of periods in which devices kept values in their own memory.
    func loggedGroup(after group: Int64?, in database: Database) throws -> Int64? {
        let least = max(period.group(of: first), group.map { $0 + 1 } ?? .min)
        let end = last < .max ? period.time(of: last + 1) - 1 : .max
        // A damaged row's time may be any.
        let times = [max(-History.maxNumber, period.time(ofGroup: least)), min(History.maxNumber, end)]
        var condition = loggedCondition
        condition.add("time_ms BETWEEN ? AND ?", values: times.map(\.databaseValue))
        let time = try Int64.fetchOne(
            database.cachedStatement(sql: "SELECT min(time_ms) FROM logged WHERE \(condition.sql)"),
            arguments: StatementArguments(condition.arguments))
        return time.map { period.group(of: period.start(of: $0)) }
    }

    /// Adds those values.
    func addLogged(of group: Int64, to buckets: inout [RollupKey: RollupBucket], in database: Database) throws {
        var condition = loggedCondition
        let end = period.time(ofGroup: group < .max ? group + 1 : group)
        condition.add(
            "time_ms >= ? AND time_ms < ?", values: [period.time(ofGroup: group).databaseValue, end.databaseValue])
        let rows = try Row.fetchCursor(
            database.cachedStatement(
                sql: "SELECT series, time_ms, kind, value FROM logged WHERE \(condition.sql) ORDER BY time_ms"),
            arguments: StatementArguments(condition.arguments))
        var fold = SummaryFold(periods)
        while let row = try rows.next() {
            guard let series = Int64.stored(row[0]), let time = Int64.stored(row[1]),
                let kind = Int64.stored(row[2]).flatMap(HistoryRow.Kind.init),
                (first...max(first, last)).contains(period.start(of: time))
            else { continue }
            fold.add(kind, value: row[3], series: series, at: time)
        }
        for (key, logged) in fold.groups[group] ?? [:] { buckets[key, default: RollupBucket()].merge(logged) }
    }

    private var loggedCondition: SQLCondition {
        let series = query.seriesCondition
        var condition = SQLCondition()
        guard !series.parts.isEmpty else { return condition }
        condition.add("series IN (SELECT id FROM series WHERE \(series.sql))", values: series.arguments)
        return condition
    }

    func buckets(of group: Int64, in database: Database) throws -> [RollupKey: RollupBucket] {
        var buckets: [RollupKey: RollupBucket] = [:]
        try add(period, of: group, from: first, through: last, to: &buckets, in: database)
        // An hour is a group of five minutes.
        for hour in split(buckets) {
            try add(.fiveMinutes, of: hour, from: .min, through: .max, to: &buckets, in: database)
        }
        return buckets
    }

    /// Leaves one of an hour and its five minutes: these if the windows split it, and none of them has been removed.
    func fitted(_ buckets: [RollupKey: RollupBucket]) -> [RollupKey: RollupBucket] {
        guard windows != nil else { return buckets }
        let split = split(buckets)
        var counts: [RollupKey: Int64] = [:]
        for (key, bucket) in buckets where key.length == .fiveMinutes { counts[key.hour, default: 0] += bucket.count }
        return buckets.filter { key, _ in
            let isFine = split.contains(key.hour.start) && counts[key.hour] == buckets[key.hour]?.count
            return isFine == (key.length == .fiveMinutes)
        }
    }

    private func split(_ buckets: [RollupKey: RollupBucket]) -> Set<Int64> {
        guard let windows else { return [] }
        return windows.split(Set(buckets.keys.lazy.filter { $0.length == .hour }.map(\.start)).sorted())
    }

    private func add(
        _ length: Summary.Period, of group: Int64, from first: Int64, through last: Int64,
        to buckets: inout [RollupKey: RollupBucket], in database: Database
    ) throws {
        let series = query.seriesCondition
        let statement = try database.cachedStatement(
            sql: """
                SELECT series, start, \(RollupBucket.columns) FROM rollups
                WHERE minutes = ? AND period = ? AND start BETWEEN ? AND ?
                \(series.parts.isEmpty ? "" : "AND series IN (SELECT id FROM series WHERE \(series.sql))")
                """)
        let place = [length.rawValue, group, first, last].map(\.databaseValue)
        let rows = try Row.fetchCursor(statement, arguments: StatementArguments(place + series.arguments))
        while let row = try rows.next() {
            guard let series = Int64.stored(row[0]), let start = Int64.stored(row[1]) else { continue }
            buckets[RollupKey(length: length, series: series, start: start)] = RollupBucket(row, from: 2)
        }
    }

    /// Calls `body` with the devices and periods that have values.
    func times(of group: Int64, in database: Database, _ body: (DeviceID, Int64, Int) -> Void) throws {
        let series = query.seriesCondition
        let statement = try database.cachedStatement(
            sql: """
                SELECT device, start, count(*) FROM rollups CROSS JOIN series ON series.id = rollups.series
                WHERE minutes = ? AND period = ? AND start BETWEEN ? AND ?
                AND rollups.kind BETWEEN \(HistoryRow.Kind.integer.rawValue) AND \(HistoryRow.Kind.list.rawValue)
                AND field IS NOT NULL \(series.parts.isEmpty ? "" : "AND \(series.sql)")
                GROUP BY start, device
                """)
        let place = [period.rawValue, group, first, last].map(\.databaseValue)
        let rows = try Row.fetchCursor(statement, arguments: StatementArguments(place + series.arguments))
        while let row = try rows.next() {
            guard let device = HistoryText.decode(row[0]).flatMap({ DeviceID($0) }),
                let start = Int64.stored(row[1]), let count = Int.stored(row[2])
            else { continue }
            body(device, period.time(of: start), count)
        }
    }

    private static let batch = 4096

    /// Folds some readings. Returns the last of them; `nil` when there were none.
    func fold(after sequence: Int64, into fold: inout SummaryFold, in database: Database) throws -> Int64? {
        var condition = query.seriesCondition
        condition.add("measurements.seq > ?", values: [sequence.databaseValue])
        let statement = try database.cachedStatement(
            sql: """
                SELECT measurements.seq, series.id, time_ms, measurements.kind, ifnull(value, error_code)
                FROM measurements CROSS JOIN series ON series.id = measurements.series
                WHERE \(condition.sql) ORDER BY measurements.seq LIMIT \(Self.batch)
                """)
        let rows = try Row.fetchCursor(statement, arguments: StatementArguments(condition.arguments))
        var last: Int64?
        while let row = try rows.next() {
            last = Int64.stored(row[0])
            guard let series = Int64.stored(row[1]), let time = Int64.stored(row[2]),
                let kind = Int64.stored(row[3]).flatMap(HistoryRow.Kind.init),
                (first...max(first, self.last)).contains(period.start(of: time))
            else { continue }
            fold.add(kind, value: row[4], series: series, at: time)
        }
        return last
    }
}
