import BlekeepRecords
internal import GRDB
import Glibc

/// Copies what can be read of a damaged history into the one that has taken its place, a little at a time: polling goes
/// on meanwhile.
///
/// It reads the file page by page, twice: first what the series are, then the rows. A page that isn't sound costs its
/// own rows. Readings keep their sequence numbers.
struct Salvage {
    /// The damaged file.
    let place: String
    /// Readings that were copied.
    private(set) var readings: Int64
    /// The numbers of pages with lost rows, and of readings with a lost series.
    private(set) var damagedPages = 0
    private(set) var nameless = 0

    private let file: DamagedFile
    private var series: [Int64: Series] = [:]
    /// The last reading in the file's rollups; `nil` if it is lost; blekeep then creates the rollups again.
    private var rolled: Int64?
    private var surveyed = 1
    private var page: Int

    /// Continues with the damaged file that was begun last.
    ///
    /// - Returns: `nil` when nothing is left to do.
    static func next(in database: Database, of file: String) throws -> Salvage? {
        let rows = try Row.fetchAll(
            database, sql: "SELECT copy, page, readings FROM salvages WHERE done = 0 ORDER BY copy DESC")
        for row in rows {
            guard let copy = String.fromDatabaseValue(row[0]) else { continue }
            let place = HistoryCopies.folder(of: file) + copy
            if let damaged = DamagedFile(place) {
                return Salvage(
                    place: place, file: damaged, page: Int64.fromDatabaseValue(row[1]) ?? 1,
                    readings: Int64.fromDatabaseValue(row[2]) ?? 0)
            }
        }
        return nil
    }

    private init(place: String, file: DamagedFile, page: Int64, readings: Int64) {
        self.place = place
        self.file = file
        self.page = Int(clamping: max(1, page))
        self.readings = readings
    }

    /// Whether the step that comes writes nothing.
    var isSurveying: Bool { surveyed <= file.pages }

    /// Learns the series of some pages.
    mutating func survey(until end: Duration) {
        while isSurveying, MonotonicTime.now < end {
            forEachRow(of: surveyed) { salvage, row in
                switch row {
                case .series(let id, let series) where salvage.series.count < Self.mostSeries:
                    // The table has the labels, its index only the key.
                    if salvage.series[id]?.name.isEmpty ?? true { salvage.series[id] = series }
                case .rolled(let rolled): salvage.rolled = rolled
                default: break
                }
            }
            surveyed += 1
        }
        if !isSurveying { damagedPages = 0 }
    }

    /// A file whose every row is another series must not fill the memory.
    private static let mostSeries = 100_000

    /// Copies the rows of some pages, within a transaction.
    ///
    /// - Returns: whether that was all.
    mutating func copy(to database: Database, _ index: inout SeriesIndex, until end: Duration) throws -> Bool {
        while page <= file.pages, MonotonicTime.now < end {
            var rows: [SalvagedRow] = []
            forEachRow(of: page) { _, row in rows.append(row) }
            for row in rows { try insert(row, &index, in: database) }
            page += 1
        }
        let isDone = page > file.pages
        if isDone, let rolled {
            try database.execute(sql: "UPDATE upkeep SET rolled = max(rolled, ?)", arguments: [rolled])
        }
        try database.cachedStatement(sql: "UPDATE salvages SET page = ?, readings = ?, done = ? WHERE copy = ?")
            .execute(arguments: [page, readings, isDone, HistoryCopies.name(of: place)])
        return isDone
    }

    /// The result, for the log.
    func words(path: String) -> String {
        var lost = damagedPages > 0 ? "; \(damagedPages) of its \(file.pages) pages can't be read" : ""
        if nameless > 0 { lost += "; \(nameless) readings without a known device are lost" }
        return "copied \(readings) readings from \(place) into the history \(path)\(lost)"
    }

    private mutating func forEachRow(of page: Int, _ body: (inout Salvage, SalvagedRow) -> Void) {
        do throws(PageDamage) {
            guard let rows = try file.rows(of: page) else { return }
            for cell in rows.cells {
                guard let record = file.record(cell), let values = RowRecord.values(record) else {
                    // One unreadable row makes the whole page unreliable.
                    throw PageDamage()
                }
                if let row = SalvagedRow(rowid: cell.rowid, values) { body(&self, row) }
            }
        } catch { damagedPages += 1 }
    }

    private mutating func insert(_ row: SalvagedRow, _ index: inout SeriesIndex, in database: Database) throws {
        switch row {
        case .series, .rolled: break
        case .rollup(let values):
            guard rolled != nil, let key = Int64.fromDatabaseValue(values[2]).flatMap({ series[$0] }) else { return }
            try insertRollup(values, try index.number(of: key, in: database), in: database)
        case .other(let sql, let values):
            try database.cachedStatement(sql: sql).execute(arguments: StatementArguments(values))
        case .reading(let sequence, let values):
            guard let key = Int64.fromDatabaseValue(values[0]).flatMap({ series[$0] }),
                HistoryRow.decode({ $0 == 0 ? sequence.databaseValue : values[$0 - 1] }, series: key) != nil
            else {
                nameless += 1
                return
            }
            let number = try index.number(of: key, in: database)
            if try insert(sequence, number, values, in: database) { readings += 1 }
        }
    }

    private func insertRollup(_ values: [DatabaseValue], _ series: Int64, in database: Database) throws {
        var row = values
        row[2] = series.databaseValue
        try database.cachedStatement(sql: "INSERT OR IGNORE INTO rollups VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            .execute(arguments: StatementArguments(row))
        guard database.changesCount > 0 else { return }
        try database.cachedStatement(sql: "UPDATE upkeep SET rollup_bytes = rollup_bytes + ?")
            .execute(arguments: [RollupBucket.bytes + RollupBucket.moreWithText])
    }

    /// - Returns: whether the reading was new.
    private func insert(
        _ sequence: Int64, _ series: Int64, _ values: [DatabaseValue], in database: Database
    ) throws -> Bool {
        let sql = """
            INSERT OR IGNORE INTO measurements (seq, \(HistoryRow.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        let rest = [series.databaseValue] + values.dropFirst()
        let statement = try database.cachedStatement(sql: sql)
        try statement.execute(arguments: StatementArguments([sequence.databaseValue] + rest))
        if database.changesCount > 0 { return true }
        let there = try Row.fetchOne(
            database.cachedStatement(sql: "SELECT series, time_ms, tick FROM measurements WHERE seq = ?"),
            arguments: [sequence])
        if let there, Array(there.databaseValues) == Array(rest.prefix(3)) { return false }
        // Another reading has this number, because the damaged history hid it. The older reading gets a new number.
        try statement.execute(arguments: StatementArguments([.null] + rest))
        return true
    }
}

/// The time for measuring short spans.
enum MonotonicTime {
    static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
