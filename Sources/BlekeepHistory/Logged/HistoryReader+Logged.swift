import BlekeepRecords
internal import GRDB

extension HistoryReader {
    private static let loggedPage = 256

    /// Passes readings to `body` in the order of their times, those that devices kept in their own memory among the others; these
    /// have no sequence number.
    ///
    /// - Parameter body: an error that it throws ends the call.
    /// - Throws: `HistoryError`, and what `body` throws.
    package func joined(_ query: HistoryQuery = HistoryQuery(), _ body: (LiveReading) throws -> Void) throws {
        var logged: [Reading] = []
        var place: LoggedPlace? = LoggedPlace()
        /// Passes those before a time.
        func pass(before time: Int64?) throws {
            while true {
                while let next = logged.first, time.map({ next.time < $0 }) ?? true {
                    try body(LiveReading(sequence: nil, reading: logged.removeFirst()))
                }
                guard logged.isEmpty, let after = place else { return }
                (logged, place) = try database { try self.logged(query, after: after, in: $0) }
            }
        }
        try readings(query) { stored in
            try pass(before: stored.reading.time)
            try body(LiveReading(stored))
        }
        try pass(before: nil)
    }

    /// Where a page of logged values ends.
    private struct LoggedPlace {
        var time = -History.maxNumber
        var series: Int64 = .min
    }

    /// - Returns: the next values, and where they end; `nil` when there are no more.
    private func logged(
        _ query: HistoryQuery, after place: LoggedPlace, in database: Database
    ) throws -> ([Reading], LoggedPlace?) {
        var condition = query.condition
        condition.add("(time_ms, series) > (?, ?)", values: [place.time, place.series].map(\.databaseValue))
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT series, time_ms, kind, value FROM logged WHERE \(condition.sql)
                    ORDER BY time_ms, series LIMIT \(Self.loggedPage)
                    """), arguments: StatementArguments(condition.arguments))
        var (page, next): ([Reading], LoggedPlace?) = ([], nil)
        for row in rows {
            guard let number = Int64.stored(row[0]), let time = Int64.stored(row[1]) else { continue }
            next = LoggedPlace(time: time, series: number)
            if let reading = try reading(logged: row, in: database) { page.append(reading) }
        }
        return (page, rows.count == Self.loggedPage ? next : nil)
    }

    /// Returns values in the order in which they came, with their numbers.
    func logged(after number: Int64, limit: Int) throws -> [StoredReading] {
        try database { database in
            let rows = try Row.fetchAll(
                database.cachedStatement(
                    sql: """
                        SELECT series, time_ms, kind, value, number FROM logged WHERE number > ?
                        ORDER BY number LIMIT ?
                        """), arguments: [number, limit])
            return try rows.compactMap { row in
                guard let number = Int64.stored(row[4]), let reading = try reading(logged: row, in: database) else {
                    return nil
                }
                return StoredReading(sequence: StoredReading.loggedBase + number, reading: reading)
            }
        }
    }

    /// - Parameter row: the series, the time, the kind and the value.
    private func reading(logged row: Row, in database: Database) throws -> Reading? {
        guard let number = Int64.stored(row[0]), let time = Int64.stored(row[1]),
            let kind = Int64.stored(row[2]).flatMap(HistoryRow.Kind.init),
            let value = HistoryRow.decode(row[3], as: kind), let series = try series(number, in: database)
        else { return nil }
        return Reading(logged: value, at: time, of: series)
    }

    // MARK: Times

    /// Returns the times of which devices kept values in their own memory, in order. Records that are at most an hour apart are of
    /// one time.
    ///
    /// - Parameter query: with the time that is looked at.
    package func loggedTimes(_ query: HistoryQuery) throws -> [ClosedRange<Int64>] {
        try database { database in
            let condition = query.condition
            let rows = try DatabaseValue.fetchCursor(
                database.cachedStatement(
                    sql: "SELECT DISTINCT time_ms FROM logged WHERE \(condition.sql) ORDER BY time_ms"),
                arguments: StatementArguments(condition.arguments))
            var times: [ClosedRange<Int64>] = []
            while let row = try rows.next() {
                guard let time = Int64.stored(row) else { continue }
                if let last = times.last, time - last.upperBound <= Summary.Period.hour.milliseconds {
                    times[times.count - 1] = last.lowerBound...time
                } else {
                    times.append(time...time)
                }
            }
            return times
        }
    }

    /// Returns the number of values in a time that devices kept in their own memory.
    package func loggedCount(in time: ClosedRange<Int64>) throws -> Int {
        try database { database in
            try Int.fetchOne(
                database, sql: "SELECT count(*) FROM logged WHERE time_ms BETWEEN ? AND ?",
                arguments: [time.lowerBound, time.upperBound]) ?? 0
        }
    }

    /// Returns what came of asking the memories of devices last.
    package func fillings() throws -> [DeviceID: LastFilling] {
        try database { database in
            let rows = try Row.fetchAll(database, sql: "SELECT device, time_ms, since_ms, stored, whole FROM filled")
            let fillings = rows.compactMap { row -> (DeviceID, LastFilling)? in
                guard let device = HistoryText.decode(row[0]).flatMap({ DeviceID($0) }),
                    let time = Int64.stored(row[1]), let since = Int64.stored(row[2]), since <= time,
                    let stored = Int64.stored(row[3])
                else { return nil }
                return (
                    device,
                    LastFilling(
                        time: time, since: since, stored: Int(clamping: stored), isWhole: Int64.stored(row[4]) == 1)
                )
            }
            return Dictionary(fillings) { $1 }
        }
    }

    // MARK: Coverage

    /// Returns what is known of each of some fields of a device since a time, so that its memory is asked only for the rest.
    ///
    /// - Parameters:
    ///   - source: what the values are of.
    ///   - every: the time between two records.
    package func logCoverages(
        of device: DeviceID, _ address: BluetoothAddress, _ source: ReadingSource, fields: [String],
        since: Int64, every: Duration
    ) throws -> [LogCoverage] {
        let live = try liveTimes(
            of: LoggedReadings(
                id: device, address: address, readings: [], every: every, request: since...since, answered: []))
        return try database { database in
            let asked = try LoggedStore.asked(of: device, address, in: database)
            return try fields.map { field in
                let logged = try DatabaseValue.fetchAll(
                    database,
                    sql: """
                        SELECT time_ms FROM logged WHERE time_ms >= ? AND series IN (
                            SELECT id FROM series WHERE device = ? AND address = ? AND field = ?)
                        """,
                    arguments: [since, device.description, address.description, field]
                ).compactMap { Int64.stored($0) }
                let heard = live.filter { $0.key.series.source == source && $0.key.series.field == field }
                return LogCoverage(every: every, known: logged + heard.flatMap(\.value), asked: asked)
            }
        }
    }

    /// The time of the oldest reading, if earlier ones were removed: nothing is known of the time before.
    package func oldestKept() throws -> Int64? {
        try database { database in
            let row = try Row.fetchOne(database, sql: "SELECT seq, time_ms FROM measurements ORDER BY seq LIMIT 1")
            guard let row, let sequence = Int64.stored(row[0]), sequence > 1 else { return nil }
            return Int64.stored(row[1])
        }
    }

    /// The times of the device's values that came while blekeep listened, since the request begins.
    func liveTimes(of logged: LoggedReadings) throws -> [StoredSeriesKey: [Int64]] {
        var query = HistoryQuery(device: logged.id)
        query.since = logged.request.lowerBound - logged.every.wholeMilliseconds
        var times: [StoredSeriesKey: [Int64]] = [:]
        try database { database in
            let condition = query.condition
            let statement = try database.cachedStatement(
                sql: """
                    SELECT series, time_ms FROM measurements
                    WHERE \(condition.sql) AND seq >= ? AND seq <= ?
                        AND kind BETWEEN \(HistoryRow.Kind.integer.rawValue) AND \(HistoryRow.Kind.list.rawValue)
                    """)
            for range in try query.ranges(after: 0, in: database) {
                let place = [range.lowerBound.databaseValue, range.upperBound.databaseValue]
                let rows = try Row.fetchCursor(
                    statement, arguments: StatementArguments(condition.arguments + place))
                while let row = try rows.next() {
                    guard let number = Int64.stored(row[0]), let time = Int64.stored(row[1]),
                        let series = try series(number, in: database)
                    else { continue }
                    times[series.key, default: []].append(time)
                }
            }
        }
        return times
    }
}

extension Reading {
    fileprivate init(logged value: MeasuredValue, at time: Int64, of series: Series) {
        let (key, source) = (series.key, series.key.series.source)
        let measurement = Measurement(field: key.series.field ?? "", value: value, unit: key.series.unit)
        self.init(
            time: time, tick: 0, id: key.device, device: series.alias, address: key.address, service: source.service,
            characteristic: source.characteristic, recipe: source.recipe, instance: source.instance, name: series.name,
            outcome: .value(measurement, raw: []))
        isLogged = true
    }
}
