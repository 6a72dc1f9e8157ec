import Blekeep
import BlekeepHistory
import BlekeepOutputs

final class SummaryPrinter {
    private let format: LineFormat
    private let terminal: Terminal
    private let offset: (Int64) -> Int
    private let write: (String) throws -> Void
    private var decimals: LayoutDecimals
    private var bytes: [UInt8] = []
    /// The first rows, from which the widths follow.
    private var rows: [[String]] = []
    private var widths: [Int]?

    /// The number of rows that determine the widths. A longer cell further down shifts the rest of its line.
    private static let sample = 2000
    private static let batch = 32 << 10
    private static let titles = ["TIME", "DEVICE", "MEASURED", "UNIT", "COUNT", "MIN", "MEAN", "MAX", "LAST"]
    private static let isNumeric = [false, false, false, false, true, true, true, true, true]

    /// - Parameters:
    ///   - format: human, JSON or CSV.
    ///   - offset: returns the seconds that the local clock is ahead of UTC at a time.
    ///   - decimals: those of stored values.
    init(
        _ format: LineFormat, on terminal: Terminal, offset: @escaping (Int64) -> Int,
        decimals: LayoutDecimals = LayoutDecimals(), write: @escaping (String) throws -> Void
    ) {
        self.format = format
        self.terminal = terminal
        self.offset = offset
        self.decimals = decimals
        self.write = write
        if format == .csv { bytes += Array((SummaryLines.csvHeader + "\n").utf8) }
    }

    func add(_ summary: Summary) throws {
        switch format {
        case .csv: SummaryLines.appendCSV(summary, to: &bytes)
        case .human, .influx, .value: return try add(row(summary))
        case .json: SummaryLines.appendJSON(summary, to: &bytes)
        }
        bytes.append(UInt8(ascii: "\n"))
        try flush(if: bytes.count >= Self.batch)
    }

    func finish() throws {
        if widths == nil { startTable() }
        try flush(if: true)
    }

    private func flush(if isDue: Bool) throws {
        guard isDue, !bytes.isEmpty else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        bytes = []
        try write(text)
    }

    // MARK: The table

    private func add(_ row: [String]) throws {
        if widths != nil {
            appendLine(row)
        } else {
            rows.append(row)
            if rows.count >= Self.sample { startTable() }
        }
        try flush(if: bytes.count >= Self.batch)
    }

    private func startTable() {
        guard !rows.isEmpty else { return }
        widths = Self.titles.indices.map { column in
            rows.reduce(Self.titles[column].count) { max($0, DisplayWidth.of($1[column])) }
        }
        appendLine(Self.titles, paint: .bold)
        for row in rows { appendLine(row) }
        rows = []
    }

    private func appendLine(_ cells: [String], paint: Paint = .plain) {
        guard let widths else { return }
        let line = cells.indices.map { column in
            let room = String(repeating: " ", count: max(0, widths[column] - DisplayWidth.of(cells[column])))
            let text = terminal.paint(cells[column], as: paint)
            return Self.isNumeric[column] ? room + text : text + room
        }
        bytes += Array((line.joined(separator: "  ") + "\n").utf8)
    }

    private func row(_ summary: Summary) -> [String] {
        let unit = DisplayUnit.human(
            Measurement(field: summary.key.field ?? "", value: .integer(0), unit: summary.key.unit)
        ).unit
        let numbers = [summary.minimum, summary.mean, summary.maximum].map { number in
            number.map { text(.number($0), summary: summary) } ?? ""
        }
        return [
            UTCTime(milliseconds: summary.start, offset: offset).dateAndMinute, Untrusted(summary.device).description,
            SummaryLines.measured(summary), Untrusted(unit).description, "\(summary.count)",
        ] + numbers + [summary.last.map { text($0, summary: summary) } ?? ""]
    }

    private func text(_ value: MeasuredValue, summary: Summary) -> String {
        let field = summary.key.field ?? ""
        let measurement = Measurement(
            field: field, value: value, unit: summary.key.unit,
            decimals: decimals.decimals(of: field, in: summary.key.source.characteristic))
        return Untrusted(DisplayUnit.human(measurement).value).description
    }
}
