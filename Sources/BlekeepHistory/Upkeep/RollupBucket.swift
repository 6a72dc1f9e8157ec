import BlekeepRecords
internal import GRDB

/// A period of a series.
struct RollupKey: Hashable {
    var length: Summary.Period
    var series: Int64
    /// The time since 1970, in units of the length.
    var start: Int64
}

extension RollupKey {
    init(_ length: Summary.Period, series: Int64, time: Int64) {
        self.init(length: length, series: series, start: length.start(of: time))
    }

    private var time: Int64 { length.time(of: start) }

    var middle: Int64 { length.middle(from: time) }

    var hour: RollupKey { RollupKey(.hour, series: series, time: time) }
}

/// The summary of a series in a period.
struct RollupBucket: Hashable {
    private(set) var count: Int64 = 0
    private(set) var minimum: Double?
    private(set) var maximum: Double?
    private(set) var sum: Double?
    private(set) var kind = HistoryRow.Kind.noValue
    private(set) var last = DatabaseValue.null
    /// The time of `last`; `nil` when unknown.
    private(set) var lastTime: Int64?

    init() {}

    var mean: Double? { sum.map { $0 / Double(count) } }

    /// The newest value, or the last error's code.
    var value: MeasuredValue? {
        kind == .failure ? HistoryText.decode(last).map(MeasuredValue.text) : HistoryRow.decode(last, as: kind)
    }

    /// The most bytes of a text that are kept.
    private static let longestText = 200
    /// What a row takes in the database: some 60 bytes, on pages that are half full.
    static let bytes: Int64 = 128
    static let moreWithText = Int64(longestText)

    var bytes: Int64 { Self.bytes + (kind.isText ? Self.moreWithText : 0) }

    /// Takes a row of `measurements`: its kind, and its value or its error's code. Special values don't count.
    mutating func add(_ kind: HistoryRow.Kind, value: DatabaseValue, at time: Int64) {
        switch kind {
        case .noValue: return
        case .integer, .number:
            // SQLite keeps NaN as NULL.
            guard let number = Double.fromDatabaseValue(value) else { return }
            minimum = min(minimum ?? number, number)
            maximum = max(maximum ?? number, number)
            sum = (sum ?? 0) + number
        case .failure, .text, .boolean, .list: break
        }
        count += 1
        self.kind = kind
        lastTime = time
        last = Self.isLong(value) ? Self.shortened(value) : value
        // A shortened list isn't valid JSON any more.
        if kind == .list, last != value { self.kind = .text }
    }

    private static func isLong(_ value: DatabaseValue) -> Bool {
        switch value.storage {
        case .string(let text): text.utf8.count > longestText
        case .blob(let data): data.count > longestText
        case .null, .int64, .double: false
        }
    }

    private static func shortened(_ value: DatabaseValue) -> DatabaseValue {
        let text = HistoryText.decode(value) ?? ""
        return HistoryText.encode(String(decoding: text.utf8.prefix(longestText - 3), as: UTF8.self))
    }

    // MARK: In the database

    static let columns = "count, min, max, sum, kind, last, last_ms"

    /// Decodes these columns; `nil` for a damaged row.
    init?(_ row: Row, from first: Int) {
        guard let count = Int64.stored(row[first]), (1...History.maxNumber).contains(count),
            let kind = Int64.stored(row[first + 4]).flatMap(HistoryRow.Kind.init)
        else { return nil }
        self.count = count
        minimum = Double.fromDatabaseValue(row[first + 1])
        maximum = Double.fromDatabaseValue(row[first + 2])
        sum = Double.fromDatabaseValue(row[first + 3])
        self.kind = kind
        last = row[first + 5]
        lastTime = Int64.stored(row[first + 6])
    }

    var arguments: [DatabaseValue] {
        [
            count.databaseValue, minimum.databaseValue, maximum.databaseValue, sum.databaseValue,
            kind.rawValue.databaseValue, last, lastTime.databaseValue,
        ]
    }

    /// Adds what the device kept in its own memory, whose values may be earlier than the last one.
    mutating func merge(_ logged: RollupBucket) {
        let isLater = logged.lastTime ?? .min >= lastTime ?? .min
        let (earlier, later) = isLater ? (self, logged) : (logged, self)
        self = earlier
        append(later)
    }

    /// Adds the later values of another bucket.
    mutating func append(_ later: RollupBucket) {
        guard later.count > 0 else { return }
        minimum = [minimum, later.minimum].compactMap(\.self).min()
        maximum = [maximum, later.maximum].compactMap(\.self).max()
        sum = later.sum.map { (sum ?? 0) + $0 } ?? sum
        count += later.count
        kind = later.kind
        last = later.last
        lastTime = later.lastTime
    }
}

extension HistoryRow.Kind {
    fileprivate var isText: Bool { self == .text || self == .list || self == .failure }

    /// The kinds that are stored as text, for SQL.
    static let texts = allCases.filter(\.isText).map { "\($0.rawValue)" }.joined(separator: ", ")
}
