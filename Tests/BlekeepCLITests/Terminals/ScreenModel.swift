@testable import BlekeepCLI

/// The screen of a terminal, as xterm draws it, for the escape sequences that blekeep writes.
struct ScreenModel {
    private(set) var columns: Int
    private(set) var rows: Int
    private(set) var isCursorHidden = false
    private(set) var isAlternate = false
    /// Sequences that the model doesn't know.
    private(set) var unknown: [String] = []
    private var cells: [[String]]
    private var normal: [[String]] = []
    private var cursor = (row: 0, column: 0)
    /// The bytes of a character or a sequence whose end hasn't come.
    private var rest: [UInt8] = []

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        cells = Self.blank(columns, rows)
    }

    private static func blank(_ columns: Int, _ rows: Int) -> [[String]] {
        Array(repeating: Array(repeating: " ", count: columns), count: rows)
    }

    /// The lines without the spaces at their ends, and without empty lines at the end of the screen.
    var lines: [String] {
        var lines = cells.map { row in
            let text = row.joined()
            return String(text[..<(text.lastIndex { $0 != " " }.map { text.index(after: $0) } ?? text.startIndex)])
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    func contains(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

    /// Gives the window another size, which keeps the text in its upper left corner.
    mutating func resize(columns: Int, rows: Int) {
        func fitted(_ old: [[String]]) -> [[String]] {
            (0..<rows).map { row in
                (0..<columns).map { old.indices.contains(row) && $0 < old[row].count ? old[row][$0] : " " }
            }
        }
        (cells, normal) = (fitted(cells), fitted(normal))
        (self.columns, self.rows) = (columns, rows)
        cursor = (min(cursor.row, rows - 1), min(cursor.column, columns - 1))
    }

    mutating func take(_ bytes: [UInt8]) {
        rest += bytes
        while let count = unitLength(rest[...]) {
            let unit = Array(rest.prefix(count))
            rest.removeFirst(count)
            if unit[0] == 0x1B { perform(unit) } else { draw(String(decoding: unit, as: UTF8.self)) }
        }
    }

    /// The length of the character or the sequence at the start; `nil` when its end is missing.
    private func unitLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = bytes.first else { return nil }
        if first == 0x1B {
            guard bytes.count >= 2 else { return nil }
            guard bytes[1] == UInt8(ascii: "[") else { return 2 }
            return bytes.dropFirst(2).firstIndex { (0x40...0x7E).contains($0) }.map { $0 + 1 }
        }
        let count = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        return bytes.count >= count ? count : nil
    }

    private mutating func draw(_ text: String) {
        switch text {
        case "\r": cursor.column = 0
        case "\n": feed()
        case "\u{7}": break
        default:
            let width = DisplayWidth.of(text)
            guard width > 0 else {
                if cursor.column > 0 { cells[cursor.row][min(cursor.column, columns) - 1] += text }
                return
            }
            // Only the character after the last column begins a line.
            if cursor.column + width > columns {
                cursor.column = 0
                feed()
            }
            cells[cursor.row][cursor.column] = text
            for column in cursor.column + 1..<cursor.column + width where column < columns {
                cells[cursor.row][column] = ""
            }
            cursor.column += width
        }
    }

    private mutating func feed() {
        if cursor.row < rows - 1 {
            cursor.row += 1
        } else {
            cells.removeFirst()
            cells.append(Array(repeating: " ", count: columns))
        }
    }

    private mutating func perform(_ sequence: [UInt8]) {
        let text = String(decoding: sequence.dropFirst(), as: UTF8.self)
        switch text {
        case "[H": cursor = (0, 0)
        case "[K": clear(cursor.row)
        case "[J":
            clear(cursor.row)
            for row in cursor.row + 1..<max(rows, cursor.row + 1) {
                cells[row] = Array(repeating: " ", count: columns)
            }
        case "[?25l": isCursorHidden = true
        case "[?25h": isCursorHidden = false
        case "[?1049h":
            guard !isAlternate else { return }
            (normal, isAlternate, cells) = (cells, true, Self.blank(columns, rows))
        case "[?1049l":
            guard isAlternate else { return }
            (cells, isAlternate) = (normal, false)
            cursor = (min(cells.lastIndex { $0.contains { $0 != " " } }.map { $0 + 1 } ?? 0, rows - 1), 0)
        case _ where text.hasSuffix("m"): break
        default: unknown.append(text)
        }
    }

    /// After a line as wide as the window, the cursor still stands on its last character.
    private mutating func clear(_ row: Int) {
        for column in min(cursor.column, columns - 1)..<columns { cells[row][column] = " " }
    }
}
