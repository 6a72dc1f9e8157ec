import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords
import RunLoop

/// How an answer writes its rows.
enum RowFormat: Sendable {
    /// The elements of an array.
    case array
    /// A JSON object a line.
    case lines
    /// Comma-separated values, with a header.
    case csv
}

/// The selected readings or summaries, in one of the formats, in parts. Only the history's thread uses it.
final class ReadingPages: @unchecked Sendable {
    /// Where an answer goes on; `nil` when it has everything.
    let next: String?
    private var rows: any RowSource
    private let format: RowFormat
    private var list = BracketedList()
    /// The header, until it is written.
    private var header: [UInt8]
    private var isComplete = false

    private init(_ rows: any RowSource, next: String?, format: RowFormat, header: String?) {
        self.rows = rows
        self.next = next
        self.format = format
        self.header = format == .csv ? Array(((header ?? "") + "\n").utf8) : []
    }

    /// - Parameter offset: the seconds that the local clock is ahead of UTC at a time.
    /// - Throws: `Problem`, `HistoryQueryError`, `HistoryError`.
    static func open(
        _ request: ReadingsRequest, history: ServedHistory,
        offset: @escaping @Sendable (Int64) -> Int = LocalTime.offset
    ) throws -> ReadingPages {
        var query = try request.query(now: WallClock.milliseconds(), offset: offset)
        if let device = request.device { query.devices = [try history.resolve(device)] }
        let rows: any RowSource
        let end: Int64?
        if let windows = request.every.flatMap({ SummaryWindows($0, offset: offset) }) {
            let found = try SummaryRows(request, query: query, windows: windows, history: history)
            (rows, end) = (found, found.end)
        } else {
            let found = try ReadingRows(request, query: query, history: history)
            (rows, end) = (found, found.end)
        }
        let header = request.every == nil ? CSVLineWriter.header : SummaryLines.csvHeader
        return ReadingPages(
            rows, next: end.map { request.next(after: $0, query) }, format: request.format, header: header)
    }

    /// Returns the next part; `nil` after the last one. Throws `HistoryError`.
    func next(_ history: ServedHistory) throws -> [UInt8]? {
        guard !isComplete else { return nil }
        guard let page = try rows.next(history) else {
            isComplete = true
            guard format != .array else { return list.end() + [UInt8(ascii: "\n")] }
            return header.isEmpty ? nil : header
        }
        guard format == .array else {
            defer { header = [] }
            return header + page.flatMap { $0 + [UInt8(ascii: "\n")] }
        }
        for row in page { list.add { $0 += row } }
        return list.finish()
    }
}

/// Rows of JSON, in pages.
private protocol RowSource {
    /// Returns the next page; `nil` after the last one.
    mutating func next(_ history: ServedHistory) throws -> [[UInt8]]?
}

private struct ReadingRows: RowSource {
    /// The last number, if further readings may follow.
    let end: Int64?
    private let query: HistoryQuery
    private let format: RowFormat
    private var after: Int64
    private var left: Int

    static let pageSize = 256

    init(_ request: ReadingsRequest, query: HistoryQuery, history: ServedHistory) throws {
        let after = request.after ?? 0
        end =
            request.limit == .max ? nil : try history.read { try $0.last(ofFirst: request.limit, query, after: after) }
        format = request.format
        self.query = query
        self.after = after
        left = request.limit
    }

    mutating func next(_ history: ServedHistory) throws -> [[UInt8]]? {
        guard left > 0, after < end ?? .max else { return nil }
        let (start, size) = (after, min(left, Self.pageSize))
        let page = try history.read { try $0.page(query, after: start, limit: size) }
        // When readings are removed meanwhile, later ones would take their places.
        let wanted = page.filter { $0.sequence <= end ?? .max }
        guard let last = wanted.last else { return nil }
        after = last.sequence
        left = page.count < size ? 0 : left - page.count
        let (json, csv) = (JSONLineWriter(tags: history.tags), CSVLineWriter(tags: history.tags))
        return wanted.map { reading in
            var bytes: [UInt8] = []
            if format == .csv { csv.append(LiveReading(reading), to: &bytes) } else { json.append(reading, to: &bytes) }
            return bytes
        }
    }
}

/// Summaries of whole windows.
private struct SummaryRows: RowSource {
    /// The start of the last window, if further ones may follow.
    private(set) var end: Int64?
    private let query: HistoryQuery
    private let windows: SummaryWindows
    private let format: RowFormat
    private var after: Int64?
    /// The only page of a short answer, which was read with its end.
    private var only: [[UInt8]]?
    private var isComplete = false

    init(_ request: ReadingsRequest, query: HistoryQuery, windows: SummaryWindows, history: ServedHistory) throws {
        self.query = query
        self.windows = windows
        after = request.after
        format = request.format
        guard request.limit < .max else { return }
        let found = try scan(limit: request.limit, keep: ReadingRows.pageSize, history)
        end = found.isCut ? found.last : nil
        if found.rows.count == found.count { only = found.rows }
    }

    mutating func next(_ history: ServedHistory) throws -> [[UInt8]]? {
        guard !isComplete else { return nil }
        if let only {
            (isComplete, self.only) = (true, nil)
            return only.isEmpty ? nil : only
        }
        let found = try scan(limit: ReadingRows.pageSize, keep: .max, history)
        isComplete = !found.isCut || found.last == end
        after = found.last
        return found.rows.isEmpty ? nil : found.rows
    }

    private struct Full: Error {}

    private struct Found {
        /// As many as were to be kept.
        var rows: [[UInt8]] = []
        var count = 0
        /// The start of the last window.
        var last: Int64?
        /// Whether more may follow.
        var isCut = false
    }

    /// Reads the summaries after `after`, until a window ends with the limit reached.
    private func scan(limit: Int, keep most: Int, _ history: ServedHistory) throws -> Found {
        var query = query
        if let after {
            let (next, overflow) = windows.window(of: after).upperBound.addingReportingOverflow(1)
            query.since = max(query.since ?? .min, overflow ? .max : next)
        }
        var found = Found()
        do {
            try history.read { reader in
                try reader.summaries(query, in: windows) { summary in
                    let isNew = summary.start != found.last
                    if isNew, found.count >= limit || summary.start > end ?? .max { throw Full() }
                    found.last = summary.start
                    found.count += 1
                    guard found.rows.count < most else { return }
                    var bytes: [UInt8] = []
                    if format == .csv {
                        SummaryLines.appendCSV(summary, to: &bytes)
                    } else {
                        SummaryLines.appendJSON(summary, to: &bytes)
                    }
                    found.rows.append(bytes)
                }
            }
        } catch is Full { found.isCut = true }
        return found
    }
}
