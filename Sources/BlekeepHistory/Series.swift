import BlekeepRecords
internal import GRDB

/// The key of a row of `series`. When another sensor gets the device's ID, its readings go on in rows of their own, so
/// that all keep the address that they came from.
struct StoredSeriesKey: Hashable {
    var device: DeviceID
    var address: BluetoothAddress
    var series: SeriesKey

    /// For the columns of the key: device, address, service, characteristic, recipe, instance, field, unit.
    fileprivate var values: [DatabaseValue] {
        let source = series.source
        return [
            HistoryText.encode(device.description), HistoryText.encode(address.description),
            HistoryText.encode(source.service?.description ?? ""),
            HistoryText.encode(source.characteristic?.description ?? ""), HistoryText.encode(source.recipe ?? ""),
            Int64(source.instance).databaseValue, HistoryText.encode(series.field), HistoryText.encode(series.unit),
        ]
    }
}

/// A row of `series`: the values that its readings share.
struct Series: Hashable {
    var key: StoredSeriesKey
    /// The device's alias, and the characteristic's name, as they were last.
    var alias: String
    var name: String

    init(_ reading: Reading) {
        key = StoredSeriesKey(device: reading.id, address: reading.address, series: reading.key)
        alias = reading.device
        name = reading.name
    }

    static let columns = "device, address, alias, service, characteristic, recipe, name, field, unit, instance"

    /// Decodes these columns, which others may follow; `nil` for a damaged row.
    init?(_ row: [DatabaseValue]) {
        guard row.count >= 10, let instance = Int64.stored(row[9]).flatMap({ Int(exactly: $0) }),
            let device = HistoryText.decode(row[0]).flatMap({ DeviceID($0) }),
            let address = HistoryText.decode(row[1]).flatMap({ BluetoothAddress($0) }),
            let alias = HistoryText.decode(row[2]), let name = HistoryText.decode(row[6]),
            let service = HistoryText.decode(row[3]), let characteristic = HistoryText.decode(row[4]),
            let recipe = HistoryText.decode(row[5])
        else { return nil }
        let source = ReadingSource(
            service: BluetoothUUID(service), characteristic: BluetoothUUID(characteristic),
            recipe: recipe.isEmpty ? nil : recipe, instance: instance, name: name)
        key = StoredSeriesKey(
            device: device, address: address,
            series: SeriesKey(source, field: HistoryText.decode(row[7]), unit: HistoryText.decode(row[8])))
        self.alias = alias
        self.name = name
    }
}

/// The numbers of recent series.
struct SeriesIndex {
    /// The most series in memory. A peripheral may have other characteristics with every read.
    private static let limit = 4096

    private struct Known {
        var number: Int64
        var alias: String
        var name: String
    }

    private var known: [StoredSeriesKey: Known] = [:]

    /// The series' number; makes the series if there is none, and gives it the labels of this one.
    mutating func number(of series: Series, in database: Database) throws -> Int64 {
        if let known = known[series.key], known.alias == series.alias, known.name == series.name { return known.number }
        let number = try Self.find(series, in: database) ?? Self.insert(series, in: database)
        if known.count >= Self.limit { known.removeAll() }
        known[series.key] = Known(number: number, alias: series.alias, name: series.name)
        return number
    }

    /// Forgets everything after a rollback.
    mutating func reset() { known.removeAll() }

    private static func find(_ series: Series, in database: Database) throws -> Int64? {
        let statement = try database.cachedStatement(
            sql: """
                SELECT id, alias, name FROM series
                WHERE device = ? AND address = ? AND service = ? AND characteristic = ? AND recipe = ? AND instance = ?
                AND ifnull(field, x'') = ifnull(?, x'') AND ifnull(unit, x'') = ifnull(?, x'')
                AND \(HistorySchema.format) = ?
                """)
        let format = HistoryText.encode(series.key.series.source.format)
        let arguments = StatementArguments(series.key.values + [format])
        guard let row = try Row.fetchOne(statement, arguments: arguments), let id = Int64.stored(row[0])
        else { return nil }
        if HistoryText.decode(row[1]) != series.alias || HistoryText.decode(row[2]) != series.name {
            try database.cachedStatement(sql: "UPDATE series SET alias = ?, name = ? WHERE id = ?").execute(
                arguments: [HistoryText.encode(series.alias), HistoryText.encode(series.name), id])
        }
        return id
    }

    private static func insert(_ series: Series, in database: Database) throws -> Int64 {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO series (device, address, service, characteristic, recipe, instance, field, unit, alias, name,
                    last_seq, last_period)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)
                """)
        let labels = [HistoryText.encode(series.alias), HistoryText.encode(series.name)]
        try statement.execute(arguments: StatementArguments(series.key.values + labels))
        return database.lastInsertedRowID
    }

    // MARK: Upkeep

    /// The number of series up to which none is removed.
    private static let many = 1000

    /// Removes series without readings and rollups. Otherwise a peripheral with other characteristics every day would fill
    /// the disk.
    ///
    /// - Returns: the number of removed series.
    static func prune(_ database: Database) throws -> Int {
        guard try Int.fetchOne(database.cachedStatement(sql: "SELECT count(*) FROM series")) ?? 0 > many else {
            return 0
        }
        try database.execute(
            sql: """
                DELETE FROM series WHERE last_seq < ifnull((SELECT min(seq) FROM measurements), 0)
                    AND last_seq <= (SELECT rolled FROM upkeep)
                    AND last_period < ifnull((SELECT min(period) FROM rollups WHERE minutes = 60), 0)
                    AND last_seq > 0 AND NOT EXISTS (SELECT 1 FROM logged WHERE logged.series = series.id)
                """)
        return database.changesCount
    }
}
