import BlekeepRecords
internal import GRDB
import Glibc
import RunLoop

internal import struct Foundation.Data

/// Copies what can be read of a damaged history into the one that has taken its place, a little at a time: polling goes
/// on meanwhile.
///
/// It reads the file page by page, twice: first what the series are, then the rows. Readings keep their sequence numbers.
struct Salvage {
    /// The damaged file.
    let place: String
    /// Readings that were copied.
    private(set) var readings: Int64
    /// The numbers of pages with lost rows, and of readings with a lost series.
    private(set) var damagedPages = 0
    private(set) var nameless = 0

    private let file: DamagedFile
    private let shapes: RowShapes
    private var series: [Int64: Series] = [:]
    /// The numbers in the new history of the file's series.
    private var numbers: [Int64: Int64] = [:]
    /// The last reading in the file's rollups; `nil` if it is lost; blekeep then creates the rollups again.
    private var rolled: Int64?
    private var surveyed = 1
    private var page: Int

    /// Continues with the damaged file that was begun last. Returns `nil` when nothing is left to do.
    static func next(in database: Database, of file: String) throws -> Salvage? {
        let rows = try Row.fetchAll(
            database, sql: "SELECT copy, page, readings FROM salvages WHERE done = 0 ORDER BY copy DESC")
        for row in rows {
            guard let copy = String.fromDatabaseValue(row[0]) else { continue }
            let place = HistoryCopies.folder(of: file) + copy
            if let damaged = DamagedFile(place) {
                return Salvage(
                    place: place, file: damaged, shapes: try RowShapes(of: database),
                    page: Int64.stored(row[1]) ?? 1, readings: Int64.stored(row[2]) ?? 0)
            }
        }
        return nil
    }

    private init(place: String, file: DamagedFile, shapes: RowShapes, page: Int64, readings: Int64) {
        self.place = place
        self.file = file
        self.shapes = shapes
        self.page = Int(clamping: max(1, page))
        self.readings = readings
    }

    // MARK: Survey

    /// Whether the step that comes writes nothing.
    var isSurveying: Bool { surveyed <= file.pages }

    /// A file whose every row is another series must not fill the memory.
    private static let maxSeries = 100_000

    /// Learns the series of some pages. Pages of other tables are skipped after their first row.
    mutating func survey(until end: Duration) {
        while isSurveying {
            let rows = try? file.rows(of: surveyed) { row in
                ["series", RowShapes.seriesKey, "upkeep"].contains(shapes[row]?.table)
            }
            for row in rows ?? [] { learn(row) }
            surveyed += 1
            guard MachineClock.awake() < end else { return }
        }
    }

    private mutating func learn(_ row: DamagedFile.Row) {
        switch shapes[row]?.table {
        case "series":
            guard let id = row.number, let known = Series(Array(row.values.dropFirst())) else { return }
            if series.count < Self.maxSeries { series[id] = known }
        case RowShapes.seriesKey:
            // The table has the labels, its index only the key, with the format as the only name. There, an empty blob
            // stands for NULL.
            let key = row.values.map { $0 == Data().databaseValue ? .null : $0 }
            guard let id = Int64.stored(key[9]), series[id] == nil,
                let known = Series([key[0], key[1], key[1], key[2], key[3], key[4], key[8], key[6], key[7], key[5]])
            else { return }
            if series.count < Self.maxSeries { series[id] = known }
        default:
            guard let last = Int64.stored(row.values[2]), (0...History.maxNumber).contains(last) else { return }
            rolled = last
        }
    }

    // MARK: Copying

    /// Copies the rows of some pages, within a transaction. Returns whether that was all.
    mutating func copy(to database: Database, _ index: inout SeriesIndex, until end: Duration) throws -> Bool {
        while page <= file.pages {
            let rows = try? file.rows(of: page)
            if rows == nil { damagedPages += 1 }
            for row in rows ?? [] { try insert(row, &index, in: database) }
            page += 1
            guard MachineClock.awake() < end else { break }
        }
        let isDone = page > file.pages
        if isDone, let rolled {
            try database.execute(sql: "UPDATE upkeep SET rolled = max(rolled, ?)", arguments: [rolled])
        }
        try database.cachedStatement(sql: "UPDATE salvages SET page = ?, readings = ?, done = ? WHERE copy = ?")
            .execute(arguments: [page, readings, isDone, HistoryCopies.name(of: place)])
        return isDone
    }

    private mutating func insert(_ row: DamagedFile.Row, _ index: inout SeriesIndex, in database: Database) throws {
        guard let shape = shapes[row] else { return }
        var values = shape.values(of: row)
        switch shape.table {
        case "series", RowShapes.seriesKey, "upkeep": break
        case "measurements":
            guard let key = Int64.stored(values[1]), let known = series[key],
                let sequence = row.number, (1..<History.maxNumber).contains(sequence),
                HistoryRow.decode({ values[$0] }, series: known) != nil
            else {
                nameless += 1
                return
            }
            values[1] = try number(of: key, known: known, index: &index, in: database).databaseValue
            if try insertReading(values, shape: shape, in: database) { readings += 1 }
        case "logged":
            guard let key = Int64.stored(values[1]), let known = series[key] else { return }
            values[1] = try number(of: key, known: known, index: &index, in: database).databaseValue
            // A new record may have the number, but no record comes twice.
            if try !insert(values, shape, in: database) {
                _ = try insert([.null] + values.dropFirst(), shape, in: database)
            }
        case "rollups":
            guard rolled != nil, let key = Int64.stored(values[2]), let known = series[key] else { return }
            values[2] = try number(of: key, known: known, index: &index, in: database).databaseValue
            guard try insert(values, shape, in: database) else { return }
            try database.cachedStatement(sql: "UPDATE upkeep SET rollup_bytes = rollup_bytes + ?")
                .execute(arguments: [RollupBucket.bytes + RollupBucket.moreWithText])
        default: _ = try insert(values, shape, in: database)
        }
    }

    private mutating func number(
        of key: Int64, known: Series, index: inout SeriesIndex, in database: Database
    ) throws -> Int64 {
        if let number = numbers[key] { return number }
        let number = try index.number(of: known, in: database)
        numbers[key] = number
        return number
    }

    /// - Returns: whether the row was new.
    private func insert(_ values: [DatabaseValue], _ shape: RowShapes.Shape, in database: Database) throws -> Bool {
        try database.cachedStatement(sql: shape.insert).execute(arguments: StatementArguments(values))
        return database.changesCount > 0
    }

    /// - Returns: whether the reading was new.
    private func insertReading(
        _ values: [DatabaseValue], shape: RowShapes.Shape, in database: Database
    ) throws -> Bool {
        if try insert(values, shape, in: database) { return true }
        let there = try Row.fetchOne(
            database.cachedStatement(sql: "SELECT series, time_ms, tick FROM measurements WHERE seq = ?"),
            arguments: [values[0]])
        if let there, Array(there.databaseValues) == Array(values[1...3]) { return false }
        // Another reading has this number, because the damaged history hid it. The older reading gets a new number.
        return try insert([.null] + values.dropFirst(), shape, in: database)
    }

    /// The result, for the log.
    func words(path: String) -> String {
        var lost = damagedPages > 0 ? "; \(damagedPages) of its \(file.pages) pages can't be read" : ""
        if nameless > 0 { lost += "; \(nameless) readings without a known device are lost" }
        return "copied \(readings) readings from \(place) into the history \(path)\(lost)"
    }
}

/// The tables of a history by the shape of their rows, because a damaged file doesn't name the table of a page.
///
/// The shapes come from the tables of the history that takes the rows, and so from their one declaration.
struct RowShapes {
    /// What a column holds.
    enum Kind {
        /// Nothing: the row's number stands for it.
        case number
        case integer, real, text, any
    }

    struct Shape {
        let table: String
        let columns: [(kind: Kind, isOptional: Bool)]
        /// The statement that takes the columns. It keeps existing rows, which are newer than the salvaged ones.
        let insert: String

        var hasNumbers: Bool { columns.contains { $0.kind == .number } }

        fileprivate func fits(_ row: DamagedFile.Row) -> Bool {
            hasNumbers == (row.number != nil) && row.values.count == columns.count
                && zip(row.values, columns).allSatisfy { value, column in
                    switch value.storage {
                    case .null: column.isOptional
                    case .int64: column.kind == .integer || column.kind == .real || column.kind == .any
                    case .double: column.kind == .real || column.kind == .any
                    // Text that isn't UTF-8 is stored as bytes.
                    case .string, .blob: column.kind == .text || column.kind == .any
                    }
                }
        }

        /// The row's values for `insert`.
        func values(of row: DamagedFile.Row) -> [DatabaseValue] {
            zip(row.values, columns).map { $1.kind == .number ? row.number?.databaseValue ?? .null : $0 }
        }
    }

    /// The index of `series`, with the key and the row's number.
    static let seriesKey = "series_key"

    let all: [Shape]

    init(of database: Database) throws {
        let tables = try Row.fetchAll(
            database,
            sql: """
                SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
                    AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'grdb_%' AND name <> 'salvages'
                """)
        let key: [Kind] = [.text, .text, .text, .text, .text, .integer, .text, .text, .text, .integer]
        all =
            try tables.map { try Self.shape(of: $0[0], hasNumbers: $0[1] == 0, in: database) } + [
                Shape(table: Self.seriesKey, columns: key.map { ($0, false) }, insert: "")
            ]
    }

    private static func shape(of table: String, hasNumbers: Bool, in database: Database) throws -> Shape {
        // A table without row numbers stores its primary key first.
        let order = hasNumbers ? "cid" : "pk = 0, pk, cid"
        let columns = try Row.fetchAll(
            database, sql: "SELECT name, type, \"notnull\", pk FROM pragma_table_info(?) ORDER BY \(order)",
            arguments: [table])
        let names = columns.map { $0[0] as String }.joined(separator: ", ")
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        return Shape(
            table: table,
            columns: columns.map { column in
                let isKey = column[3] as Int > 0
                let kind: Kind =
                    switch column[1] as String {
                    case "INTEGER": hasNumbers && isKey ? .number : .integer
                    case "REAL": .real
                    case "TEXT": .text
                    default: .any
                    }
                return (kind, kind == .number || column[2] as Int == 0 && !isKey)
            }, insert: "INSERT OR IGNORE INTO \(table) (\(names)) VALUES (\(marks))")
    }

    /// The shape of a row; `nil` if it is of no table.
    subscript(row: DamagedFile.Row) -> Shape? { all.first { $0.fits(row) } }
}
