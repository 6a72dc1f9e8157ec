/// A table as text: sorted lines of columns with `|` between them. The first column is a number in four hex digits.
///
/// The text is a literal in the executable, so that it needs no time at startup, and a search touches only a few lines.
struct TextTable: Sendable {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    /// Finds the line of an assigned number.
    subscript(uuid: BluetoothUUID) -> Row? { uuid.short.flatMap { self[$0] } }

    /// Finds the line of a number by binary search.
    subscript(number: UInt16) -> Row? {
        let bytes = text.utf8
        var low = bytes.startIndex
        var high = bytes.endIndex
        while low < high {
            let middle = bytes.index(low, offsetBy: bytes.distance(from: low, to: high) / 2)
            let start = bytes[low..<middle].lastIndex(of: Self.newline).map(bytes.index(after:)) ?? low
            let end = bytes[middle..<high].firstIndex(of: Self.newline) ?? high
            let row = Row(line: bytes[start..<end])
            guard let found = row.number else { return nil }
            if found == number { return row }
            if found > number {
                high = start
            } else {
                low = end < high ? bytes.index(after: end) : high
            }
        }
        return nil
    }

    /// All lines, in the order of their numbers.
    var rows: some Sequence<Row> {
        text.utf8.split(separator: Self.newline).lazy.map(Row.init(line:))
    }

    private static let newline = UInt8(ascii: "\n")

    /// A line.
    struct Row {
        fileprivate let line: Substring.UTF8View

        /// The first column.
        var number: UInt16? { UInt16(Substring(line.prefix(4)), radix: 16) }

        /// Everything after the first column.
        var rest: Substring { Substring(line.dropFirst(5)) }

        /// Returns a column, counted from 0; empty when the line lacks it.
        subscript(column: Int) -> Substring {
            let columns = line.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
            return columns.indices.contains(column) ? Substring(columns[column]) : ""
        }
    }
}
