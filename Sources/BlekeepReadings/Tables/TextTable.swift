/// Lines of columns with `|` between them; the first column is a number in four hex digits and sorts the lines.
///
/// The text is a literal: it costs nothing until it is searched, and then only the lines that are looked at.
struct TextTable: Sendable {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    /// The line of an assigned number.
    subscript(uuid: BluetoothUUID) -> Row? { uuid.short.flatMap { self[$0] } }

    /// The line of a number, by binary search.
    subscript(number: UInt16) -> Row? {
        let octets = text.utf8
        var low = octets.startIndex
        var high = octets.endIndex
        while low < high {
            let middle = octets.index(low, offsetBy: octets.distance(from: low, to: high) / 2)
            let start = octets[low..<middle].lastIndex(of: Self.newline).map(octets.index(after:)) ?? low
            let end = octets[middle..<high].firstIndex(of: Self.newline) ?? high
            let row = Row(line: octets[start..<end])
            guard let found = row.number else { return nil }
            if found == number { return row }
            if found > number {
                high = start
            } else {
                low = end < high ? octets.index(after: end) : high
            }
        }
        return nil
    }

    /// All lines, in their order.
    var rows: some Sequence<Row> {
        text.utf8.split(separator: Self.newline).lazy.map(Row.init(line:))
    }

    private static let newline = UInt8(ascii: "\n")

    /// One line.
    struct Row {
        fileprivate let line: Substring.UTF8View

        /// The first column.
        var number: UInt16? { UInt16(Substring(line.prefix(4)), radix: 16) }

        /// Everything after the first column.
        var rest: Substring { Substring(line.dropFirst(5)) }

        /// A column, counted from 0; empty where there is none.
        subscript(column: Int) -> Substring {
            let columns = line.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
            return columns.indices.contains(column) ? Substring(columns[column]) : ""
        }
    }
}
