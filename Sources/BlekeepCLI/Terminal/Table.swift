/// Rows of cells under headings, fitted into a width.
struct Table {
    struct Column {
        var title: String
        var isNumeric = false
        /// The narrowest width; `nil` for a column that is never cut.
        var narrowest: Int?
        /// Without room, columns with the highest number are left out first; 0 never is.
        var expendability = 0
    }

    struct Cell: ExpressibleByStringInterpolation {
        var text: String
        var paint = Paint.plain
        var cut = Cut.end

        /// What leaves a text that is too long.
        enum Cut {
            case end
            /// For text such as addresses that differs at its end.
            case beginning
            /// Whole items of a list at the end. A value looks like another one without its last digits or its unit.
            case items
        }

        init(_ text: String, _ paint: Paint = .plain, cut: Cut = .end) {
            self.text = text
            self.paint = paint
            self.cut = cut
        }

        func text(in width: Int) -> String {
            switch cut {
            case .end: DisplayWidth.cut(text, to: width)
            case .beginning: DisplayWidth.cut(text, to: width, keepsEnd: true)
            case .items: DisplayWidth.cut(list: text, to: width)
            }
        }

        init(stringLiteral text: String) { self.init(text) }
    }

    var columns: [Column]
    var rows: [[Cell]] = []

    /// The widest column that may be cut, where the width of lines has no limit: longer cells stand out.
    private static let widest = 60

    /// Returns the lines, headings first.
    ///
    /// - Parameter width: the width of the terminal; `nil` for no limit.
    func lines(width: Int?, on terminal: Terminal) -> [String] {
        var widths = columns.indices.map { column in
            rows.reduce(DisplayWidth.of(columns[column].title)) { max($0, DisplayWidth.of($1[column].text)) }
        }
        // Leave out expendable columns without any text.
        var shown = columns.indices.filter { column in
            columns[column].expendability == 0 || rows.contains { !$0[column].text.isEmpty }
        }
        if let width {
            fit(width, widths: &widths, shown: &shown)
        } else {
            // One long list would push the next columns far to the right in all lines.
            for column in shown where columns[column].narrowest != nil {
                widths[column] = min(widths[column], Self.widest)
            }
        }
        let titles = columns.map { Cell($0.title, .bold) }
        return ([titles] + rows).map { row in
            var line = ""
            for (place, column) in shown.enumerated() {
                let isLast = place == shown.count - 1
                let cut = width == nil ? row[column].text : row[column].text(in: widths[column])
                line += text(
                    cut, paint: row[column].paint, isNumeric: columns[column].isNumeric, width: widths[column],
                    isLast: isLast, on: terminal)
                if !isLast { line += "  " }
            }
            return line
        }
    }

    private func text(
        _ text: String, paint: Paint, isNumeric: Bool, width: Int, isLast: Bool, on terminal: Terminal
    ) -> String {
        let room = String(repeating: " ", count: max(0, width - DisplayWidth.of(text)))
        let painted = terminal.paint(text, as: paint)
        return isNumeric ? room + painted : isLast ? painted : painted + room
    }

    /// Narrows columns, or leaves them out, until the table fits.
    private func fit(_ width: Int, widths: inout [Int], shown: inout [Int]) {
        while true {
            let natural = shown.reduce(0) { $0 + widths[$1] } + 2 * max(0, shown.count - 1)
            var excess = natural - width
            guard excess > 0 else { return }
            let slack = shown.reduce(0) { $0 + max(0, widths[$1] - (columns[$1].narrowest ?? widths[$1])) }
            let leaving = shown.filter { columns[$0].expendability > 0 }
                .max { columns[$0].expendability < columns[$1].expendability }
            if slack < excess, let leaving {
                shown.removeAll { $0 == leaving }
                continue
            }
            while excess > 0 {
                let widest = shown.filter { widths[$0] > columns[$0].narrowest ?? .max }.max { widths[$0] < widths[$1] }
                guard let widest else { break }
                widths[widest] -= 1
                excess -= 1
            }
            // Even the narrowest widths are too much. A line that wraps would be worse than cut text.
            while excess > 0, let widest = shown.max(by: { widths[$0] < widths[$1] }), widths[widest] > 1 {
                widths[widest] -= 1
                excess -= 1
            }
            return
        }
    }
}
