/// A picture of dots in a terminal: each cell has two columns and four rows of them.
struct BrailleCanvas {
    /// In cells.
    let columns: Int
    let rows: Int
    private var dots: [UInt8]
    /// What drew last in each cell.
    private var pens: [Int]

    /// The picture's width and height in dots.
    var width: Int { columns * 2 }
    var height: Int { rows * 4 }

    init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
        dots = Array(repeating: 0, count: self.columns * self.rows)
        pens = Array(repeating: 0, count: self.columns * self.rows)
    }

    /// The bits of a cell's dots: U+2800 and up, by row and column.
    private static let bits: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]

    /// Draws a dot; outside the picture, none.
    ///
    /// - Parameters:
    ///   - x: from the left.
    ///   - y: from the top.
    mutating func dot(x: Int, y: Int, pen: Int = 0) {
        guard (0..<width).contains(x), (0..<height).contains(y) else { return }
        let cell = y / 4 * columns + x / 2
        dots[cell] |= Self.bits[y % 4][x % 2]
        pens[cell] = pen
    }

    /// Draws a line with both its ends, which must lie in the picture.
    mutating func line(from: (x: Int, y: Int), to: (x: Int, y: Int), pen: Int = 0) {
        let inside = [from, to].allSatisfy { (0..<width).contains($0.x) && (0..<height).contains($0.y) }
        guard inside else { return }
        let (dx, dy) = (to.x - from.x, to.y - from.y)
        let steps = max(abs(dx), abs(dy))
        for step in 0...steps {
            // Rounded, half away from the start.
            func part(_ length: Int) -> Int {
                steps == 0 ? 0 : (2 * length * step + length.signum() * steps) / (2 * steps)
            }
            dot(x: from.x + part(dx), y: from.y + part(dy), pen: pen)
        }
    }

    /// Returns a row of cells without the empty ones at its end.
    ///
    /// - Parameter paint: colors what a pen drew.
    func line(_ row: Int, paint: (_ text: String, _ pen: Int) -> String = { text, _ in text }) -> String {
        guard (0..<rows).contains(row) else { return "" }
        let cells = Array(row * columns..<(row + 1) * columns)
        guard let end = cells.last(where: { dots[$0] != 0 }) else { return "" }
        var (line, run, pen) = ("", "", 0)
        for cell in cells where cell <= end {
            if dots[cell] != 0, pens[cell] != pen {
                line += run.isEmpty ? "" : paint(run, pen)
                (run, pen) = ("", pens[cell])
            }
            run.unicodeScalars.append(Self.character(dots[cell]))
        }
        return line + paint(run, pen)
    }

    private static func character(_ dots: UInt8) -> Unicode.Scalar {
        dots == 0 ? " " : Unicode.Scalar(0x2800 + UInt32(dots)) ?? " "
    }
}
