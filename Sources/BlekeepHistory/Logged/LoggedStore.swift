import BlekeepRecords
internal import GRDB

/// What one download of a device's memory brought.
package struct LoggedReadings: Sendable {
    /// The device, which may have got another address.
    package var id: DeviceID
    package var address: BluetoothAddress
    /// The values, with the times of their records.
    package var readings: [Reading]
    /// The time between two records.
    package var every: Duration
    /// The time that was asked for, and what of it needn't be asked for again: milliseconds since 1970.
    package var request: ClosedRange<Int64>
    package var answered: [ClosedRange<Int64>]

    package init(
        id: DeviceID, address: BluetoothAddress, readings: [Reading], every: Duration, request: ClosedRange<Int64>,
        answered: [ClosedRange<Int64>]
    ) {
        (self.id, self.address, self.readings, self.every) = (id, address, readings, every)
        (self.request, self.answered) = (request, answered)
    }

    /// What became of the values.
    package struct Outcome: Sendable, Hashable {
        /// They filled a gap.
        package var stored = 0
        /// A value came while blekeep listened.
        package var live = 0
        /// An earlier download had them, too; of these, how many had another value then.
        package var known = 0
        package var differing = 0
        /// More records than intervals.
        package var crowded = 0
        /// Whether the device has lost the records of an earlier download.
        package var isReset = false

        package init() {}

        package static func += (total: inout Outcome, other: Outcome) {
            total.stored += other.stored
            total.live += other.live
            total.known += other.known
            total.differing += other.differing
            total.crowded += other.crowded
            total.isReset = total.isReset || other.isReset
        }
    }
}

/// When a device's memory was asked last, and what came of it.
package struct LastFilling: Sendable, Hashable {
    /// Milliseconds since 1970, as `since`, the oldest time that it was asked for.
    package var time, since: Int64
    /// The number of values that were missing.
    package var stored: Int
    /// Whether the device sent all that it had.
    package var isWhole: Bool
}

/// The values that devices kept in their own memory: a table beside that of the readings, because these come late, and have no
/// place in the order of sequence numbers.
///
/// They are added beside the poller, as notices are: one commit has a download with what it answered, and the tables' keys let
/// no record come twice.
package enum LoggedStore {
    /// What a row takes in the table and in its indexes.
    static let bytes: Int64 = 80
    /// The share of the history's size for all of them; the earliest make room.
    static let share: Int64 = 4
    /// The maximum number of times in `asked` of a device.
    static let maxAsked = 64
    private static let tries = 20

    /// Adds the values of a download to an existing history, all or none. It blocks.
    ///
    /// - Throws: `HistoryError`, `busy` among others when another program writes for some seconds.
    package static func append(
        _ logged: LoggedReadings, limits: HistoryLimits, path: String
    ) throws(HistoryError) -> LoggedReadings.Outcome {
        for _ in 1..<tries {
            do { return try appendOnce(logged, limits: limits, path: path) } catch .busy { continue }
        }
        return try appendOnce(logged, limits: limits, path: path)
    }

    private static func appendOnce(
        _ logged: LoggedReadings, limits: HistoryLimits, path: String
    ) throws(HistoryError) -> LoggedReadings.Outcome {
        do {
            let file = try HistoryFile.resolved(path)
            try HistoryFile.checkKind(file, path: path)
            guard let before = HistoryFile(file) else { throw HistoryError.missing(path: path) }
            // Looked for before the transaction, because there may be many.
            let live = try HistoryReader(path: path).liveTimes(of: logged)
            let queue = try HistoryDatabase.openBeside(file)
            defer { try? queue.close() }
            var outcome = LoggedReadings.Outcome()
            try queue.writeWithoutTransaction { database in
                guard try HistorySchema.isMade(database, path: path) else { throw HistoryError.missing(path: path) }
                try database.inTransaction(.immediate) {
                    guard HistoryFile(file)?.isSame(as: before) == true else { throw HistoryError.busy(path: path) }
                    outcome = try write(logged, live: live, in: database)
                    try trim(to: limits.size / share / bytes, in: database)
                    return .commit
                }
            }
            return outcome
        } catch { throw HistoryError(error, path: path) }
    }

    private static func write(
        _ logged: LoggedReadings, live: [StoredSeriesKey: [Int64]], in database: Database
    ) throws -> LoggedReadings.Outcome {
        var outcome = LoggedReadings.Outcome()
        var index = SeriesIndex()
        var all: [(number: Int64, series: LoggedSeries, readings: [Reading])] = []
        for (series, readings) in Dictionary(grouping: logged.readings, by: Series.init).sorted(by: {
            ($0.key.key.series.field ?? "") < ($1.key.key.series.field ?? "")
        }) {
            let number = try index.number(of: series, in: database)
            let known = LoggedSeries(
                try rows(of: number, in: database), live: live[series.key] ?? [], every: logged.every)
            all.append((number, known, readings.sorted { $0.time < $1.time }))
        }
        // The clock and the boot are the device's, and so the same for all of its series.
        let shift =
            all.map { $0.series.shift(of: $0.readings.map { ($0.time, $0.measuredValue) }) }
            .max { $0.agreeing < $1.agreeing }?.shift ?? 0
        for index in all.indices {
            for reading in all[index].readings.indices { all[index].readings[reading].time += shift }
        }
        let isWhole = !logged.answered.isEmpty
        outcome.isReset = isWhole && all.contains { $0.series.isReset(by: $0.readings.map(\.time), in: logged.request) }
        let boot = (all.map(\.series.boot).max() ?? 1) + (outcome.isReset ? 1 : 0)
        let insert = try database.cachedStatement(
            sql: "INSERT INTO logged (series, boot, slot, time_ms, kind, value) VALUES (?, ?, ?, ?, ?, ?)")
        for (number, known, readings) in all {
            var series = known
            series.boot = boot
            for reading in readings {
                guard let value = reading.measuredValue else { continue }
                switch series.add(value, at: reading.time) {
                case .live: outcome.live += 1
                case .crowded: outcome.crowded += 1
                case .known(let isSame):
                    outcome.known += 1
                    outcome.differing += isSame ? 0 : 1
                case .new(let row):
                    let (kind, value) = HistoryRow.encode(row.value)
                    try insert.execute(arguments: [number, row.boot, row.slot, row.time, kind.rawValue, value])
                    outcome.stored += 1
                }
            }
        }
        try note(logged, in: database)
        try database.execute(
            sql: """
                INSERT INTO filled VALUES (?, ?, ?, ?, ?) ON CONFLICT (device) DO UPDATE SET
                    time_ms = excluded.time_ms, whole = excluded.whole, stored = iif(whole, 0, stored) + excluded.stored,
                    since_ms = iif(whole, excluded.since_ms, min(since_ms, excluded.since_ms))
                """,
            arguments: [
                logged.id.description, logged.request.upperBound, logged.request.lowerBound, outcome.stored, isWhole,
            ])
        return outcome
    }

    private static func rows(of series: Int64, in database: Database) throws -> [LoggedSeries.Row] {
        let rows = try Row.fetchAll(
            database, sql: "SELECT boot, slot, time_ms, kind, value FROM logged WHERE series = ?", arguments: [series])
        return rows.compactMap { row in
            guard let boot = Int64.stored(row[0]), let slot = Int64.stored(row[1]), let time = Int64.stored(row[2]),
                let kind = Int64.stored(row[3]).flatMap(HistoryRow.Kind.init)
            else { return nil }
            return LoggedSeries.Row(time: time, boot: boot, slot: slot, value: HistoryRow.decode(row[4], as: kind))
        }
    }

    /// Notes what was answered, with what was before.
    private static func note(_ logged: LoggedReadings, in database: Database) throws {
        guard !logged.answered.isEmpty else { return }
        let (device, address) = (logged.id.description, logged.address.description)
        let all = LogCoverage.merged(try asked(of: logged.id, logged.address, in: database) + logged.answered)
        try database.execute(sql: "DELETE FROM asked WHERE device = ? AND address = ?", arguments: [device, address])
        for range in all.suffix(maxAsked) {
            try database.execute(
                sql: "INSERT INTO asked VALUES (?, ?, ?, ?)",
                arguments: [device, address, range.lowerBound, range.upperBound])
        }
    }

    static func asked(
        of device: DeviceID, _ address: BluetoothAddress, in database: Database
    ) throws -> [ClosedRange<Int64>] {
        let rows = try Row.fetchAll(
            database, sql: "SELECT from_ms, to_ms FROM asked WHERE device = ? AND address = ?",
            arguments: [device.description, address.description])
        return rows.compactMap { row in
            guard let from = Int64.stored(row[0]), let to = Int64.stored(row[1]), from <= to else { return nil }
            return from...to
        }
    }

    /// Lets the earliest make room.
    private static func trim(to count: Int64, in database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM logged WHERE time_ms <= (
                    SELECT time_ms FROM logged ORDER BY time_ms DESC LIMIT 1 OFFSET ?)
                """, arguments: [max(0, count)])
    }
}

extension Reading {
    fileprivate var measuredValue: MeasuredValue? {
        if case .value(let measurement, _) = outcome { measurement.value } else { nil }
    }
}
