import BlekeepRecords
internal import GRDB

/// A row of a history. Its columns identify its table, because a damaged file doesn't name the table of a page.
enum SalvagedRow {
    case series(Int64, Series)
    /// With the values from `series` on.
    case reading(sequence: Int64, [DatabaseValue])
    case rollup([DatabaseValue])
    /// The last reading that is in the rollups.
    case rolled(Int64)
    /// A row for a statement.
    case other(sql: String, [DatabaseValue])

    /// Returns `nil` for a row that blekeep can't have written.
    init?(rowid: Int64?, _ values: [DatabaseValue]) {
        guard let shape = Shape.all.first(where: { $0.fits(values, isTable: rowid != nil) }) else { return nil }
        switch (shape.table, rowid) {
        case (.measurements, let sequence?):
            guard (1..<History.mostNumber).contains(sequence),
                (0...6).contains(Int64.fromDatabaseValue(values[4]) ?? -1)
            else { return nil }
            self = .reading(sequence: sequence, Array(values.dropFirst()))
        case (.series, let id?):
            guard let series = Series(Array(values.dropFirst())) else { return nil }
            self = .series(id, series)
        case (.seriesKey, nil):
            // The labels are lost.
            let labelled = values + ["".databaseValue]
            guard let id = Int64.fromDatabaseValue(values[6]),
                let series = Series(Self.inOrder([0, 0, 1, 2, 7, 4, 5, 3], of: labelled))
            else { return nil }
            self = .series(id, series)
        case (.rollups, nil): self = .rollup(values)
        case (.upkeep, _?):
            guard let rolled = Int64.fromDatabaseValue(values[2]), (0...History.mostNumber).contains(rolled) else {
                return nil
            }
            self = .rolled(rolled)
        case (.rows(let name), let rowid?):
            self = .other(sql: Self.insert(name, values.count), [rowid.databaseValue] + values.dropFirst())
        case (.rows(let name), nil): self = .other(sql: Self.insert(name, values.count), values)
        default: return nil
        }
    }

    /// Keeps existing rows, because they are newer than the salvaged ones.
    private static func insert(_ table: String, _ count: Int) -> String {
        "INSERT OR IGNORE INTO \(table) VALUES (\(Array(repeating: "?", count: count).joined(separator: ", ")))"
    }

    /// Returns an index's columns in the table's order. In an index, an empty blob stands for NULL.
    private static func inOrder(_ order: [Int], of values: [DatabaseValue]) -> [DatabaseValue] {
        order.map { isEmptyBlob(values[$0]) ? .null : values[$0] }
    }

    private static func isEmptyBlob(_ value: DatabaseValue) -> Bool {
        if case .blob(let data) = value.storage { data.isEmpty } else { false }
    }
}

/// What the columns of a table hold: `n` nothing, `i` a whole number, `I` that or nothing, `r` a number or nothing,
/// `t` text, `x` text or bytes, `X` those or nothing, `a` anything.
private struct Shape {
    enum Table {
        case measurements, series, seriesKey, rollups, upkeep
        /// Of this name, with the columns in the order of the file.
        case rows(String)
    }

    var table: Table
    var columns: [Character]
    var isTable: Bool

    static let all = [
        Shape(table: .measurements, columns: Array("niiiiaXXXX"), isTable: true),
        Shape(table: .series, columns: Array("nxxxxxXXiii"), isTable: true),
        Shape(table: .seriesKey, columns: Array("xxxixxi"), isTable: false),
        Shape(table: .rollups, columns: Array("iiiiirrria"), isTable: false),
        Shape(table: .upkeep, columns: Array("nIiii"), isTable: true),
        Shape(table: .rows("spans"), columns: Array("niii"), isTable: true),
        Shape(table: .rows("clocks"), columns: Array("ntiiiii"), isTable: true),
        Shape(table: .rows("heartbeats"), columns: Array("ntiiiiiiIitttrr"), isTable: true),
        Shape(table: .rows("downtimes"), columns: Array("nittiitiiI"), isTable: true),
        Shape(table: .rows("keeper"), columns: Array("niiiIXXxIIiIII"), isTable: true),
        Shape(table: .rows("sinks"), columns: Array("tiIiiXIX"), isTable: false),
        Shape(table: .rows("adapters"), columns: Array("tiiXIIIII"), isTable: false),
        Shape(table: .rows("attempts"), columns: Array("tixXXXiiiI"), isTable: false),
        Shape(table: .rows("standings"), columns: Array("txitiIiiXXXiiiIIxtIiiIX"), isTable: false),
        Shape(
            table: .rows("activity (heartbeat, address, device, good, failed, missed, samples, connects, air_ms)"),
            columns: Array("itxiiiiii"), isTable: false),
    ]

    func fits(_ values: [DatabaseValue], isTable: Bool) -> Bool {
        self.isTable == isTable && values.count == columns.count
            && zip(values, columns).allSatisfy { Self.fits($0, $1) }
    }

    private static func fits(_ value: DatabaseValue, _ letter: Character) -> Bool {
        switch value.storage {
        case .null: "nIrXa".contains(letter)
        case .int64: "iIra".contains(letter)
        case .double: "ra".contains(letter)
        case .string: "txXa".contains(letter)
        case .blob: "xXa".contains(letter)
        }
    }
}
