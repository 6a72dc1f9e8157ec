import BlekeepRecords
internal import GRDB

/// A selection of readings. A property that is `nil` selects all.
package struct HistoryQuery: Sendable, Hashable {
    /// Empty for all devices.
    package var devices: [DeviceID]
    package var characteristic: BluetoothUUID?
    /// Also the fields of these names, whatever they are of, if there is a `characteristic`; otherwise only these.
    package var fields: [String]
    /// The earliest and the latest time: milliseconds since 1970, UTC.
    package var since: Int64?
    package var until: Int64?

    package init(
        device: DeviceID? = nil, characteristic: BluetoothUUID? = nil, field: String? = nil, since: Int64? = nil,
        until: Int64? = nil
    ) {
        devices = device.map { [$0] } ?? []
        self.characteristic = characteristic
        fields = field.map { [$0] } ?? []
        self.since = since
        self.until = until
    }

    // MARK: As SQL

    /// The selection as a condition over `series`.
    var seriesCondition: SQLCondition {
        var condition = SQLCondition()
        if !devices.isEmpty {
            let marks = devices.map { _ in "?" }.joined(separator: ", ")
            condition.add("device IN (\(marks))", values: devices.map { HistoryText.encode($0.description) })
        }
        let places =
            (characteristic.map { [("characteristic", $0.description)] } ?? []) + fields.map { ("field", $0) }
        if !places.isEmpty {
            let sql = places.map { "\($0.0) = ?" }.joined(separator: " OR ")
            condition.add("(\(sql))", values: places.map { HistoryText.encode($0.1) })
        }
        return condition
    }

    /// The selection as a condition over `measurements`.
    var condition: SQLCondition {
        var condition = SQLCondition()
        let series = seriesCondition
        if !series.parts.isEmpty {
            condition.add("series IN (SELECT id FROM series WHERE \(series.sql))", values: series.arguments)
        }
        if let since { condition.add("time_ms >= ?", values: [since.databaseValue]) }
        if let until { condition.add("time_ms <= ?", values: [until.databaseValue]) }
        return condition
    }

    /// Returns ranges of sequence numbers that contain the selected readings, without spans of other times.
    ///
    /// - Parameter first: only those after this number.
    func ranges(after first: Int64, in database: Database) throws -> [ClosedRange<Int64>] {
        var next = first < .max ? first + 1 : .max
        var ranges: [ClosedRange<Int64>] = []
        if since != nil || until != nil {
            let statement = try database.cachedStatement(
                sql: """
                    SELECT first, last FROM spans
                    WHERE last > ?1 AND (to_ms < ifnull(?2, to_ms) OR from_ms > ifnull(?3, from_ms)) ORDER BY first
                    """)
            let others = try Row.fetchCursor(statement, arguments: [first, since, until])
            while let span = try others.next() {
                guard let first = Int64.stored(span[0]), let last = Int64.stored(span[1]),
                    last < .max
                else { continue }
                if next < first { ranges.append(next...first - 1) }
                next = max(next, last + 1)
            }
        }
        return ranges + [next...(.max)]
    }
}

/// Parts of an SQL condition, all of which must hold, with the values for their question marks.
struct SQLCondition {
    private(set) var parts: [String] = []
    private(set) var arguments: [DatabaseValue] = []

    mutating func add(_ part: String, values: [DatabaseValue]) {
        parts.append(part)
        arguments += values
    }

    var sql: String { parts.isEmpty ? "1" : parts.joined(separator: " AND ") }
}
