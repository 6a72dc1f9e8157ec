import Blekeep
import BlekeepHistory
import BlekeepOutputs

/// A plot as text: a panel of dots for each unit, above one axis of time.
struct PlotView {
    let plot: PlottedDevice
    private let offset: (Int64) -> Int

    /// The least room for the numbers of an axis.
    private static let labels = 6
    private static let heights = 6...16

    /// - Parameter offset: returns the seconds that the local clock is ahead of UTC at a time.
    init(_ plot: PlottedDevice, offset: @escaping (Int64) -> Int) { (self.plot, self.offset) = (plot, offset) }

    /// The number of columns of a plot for a terminal.
    ///
    /// - Parameter width: the terminal's.
    static func columns(width: Int) -> Int { 2 * max(8, min(1000, width) - labels - 1) }

    /// For example `greenhouse, 2026-11-20 20:00 to 2026-11-21 08:00`.
    var title: String {
        let (from, to) = (time(plot.time.lowerBound), time(plot.time.upperBound))
        let end = from.prefix(10) == to.prefix(10) ? String(to.dropFirst(11)) : to
        return "\(Untrusted(plot.name)), \(from) to \(end)"
    }

    /// `from its own memory: 2026-11-20 21:05 to 2026-11-21 06:10`
    private var logged: String? {
        guard let first = plot.logged.first else { return nil }
        let more = plot.logged.count > 1 ? " and \(plot.logged.count - 1) more" : ""
        return "from its own memory: \(time(first.lowerBound)) to \(time(first.upperBound))\(more)"
    }

    private func time(_ moment: Int64) -> String { UTCTime(milliseconds: moment, offset: offset).dateAndMinute }

    /// Returns the lines.
    ///
    /// - Parameters:
    ///   - size: the terminal's. The picture may take more rows, because no panel has less than six.
    func lines(size: (columns: Int, rows: Int), on terminal: Terminal) -> [String] {
        let panels = plot.panels
        let isLettered = !terminal.hasColor && panels.contains { $0.series.count > 1 }
        let width = max(Self.labels + 9, size.columns)
        // The title, the axis of time, the shell's prompt, and the legends.
        let others =
            4 + (plot.leftOut > 0 ? 1 : 0) + (plot.logged.isEmpty ? 0 : 1) + panels.reduce(0) { $0 + $1.series.count }
        let share = (size.rows - others) / max(1, panels.count)
        let height = max(Self.heights.lowerBound, min(Self.heights.upperBound, share))
        let axes = panels.map { PlotAxis($0.axisRange, most: max(3, height / 2)) }
        let room = axes.flatMap(\.ticks).reduce(Self.labels) { max($0, min(width - 9, $1.text.count)) }
        let letters = isLettered ? panels.reduce(0) { max($0, $1.series.count) } + 1 : 0
        let columns = max(8, width - room - 1 - min(letters, 8))
        var lines = [terminal.paint(DisplayWidth.cut(title, to: width), as: .bold)]
        for (panel, axis) in zip(panels, axes) {
            lines += legend(panel, width: width, isLettered: isLettered, on: terminal)
            lines += rows(
                panel, axis: axis, labels: room, columns: columns, height: height, isLettered: isLettered, on: terminal)
        }
        lines += timeAxis(labels: room, columns: columns)
        if let logged { lines.append(DisplayWidth.cut(logged, to: width)) }
        if plot.leftOut > 0 {
            let it = plot.leftOut == 1 ? "it" : "them"
            let text = "\(plot.leftOut) more: name \(it) to draw \(it), as 'blekeep values --json' shows \(it)"
            lines.append(DisplayWidth.cut(text, to: width))
        }
        return terminal.hasUnicode ? lines : lines.map(Self.plain)
    }

    /// Returns a line with characters of ASCII in place of those that draw.
    private static func plain(_ line: String) -> String {
        let signs: [Unicode.Scalar: Unicode.Scalar] = ["│": "|", "┤": "+", "└": "+", "┬": "+", "─": "-"]
        return String(
            String.UnicodeScalarView(
                line.unicodeScalars.map { signs[$0] ?? (0x2800...0x28FF ~= $0.value ? "*" : $0) }))
    }

    // MARK: Parts

    /// The letter of a line where there are no colors.
    private static func letter(_ pen: Int) -> String {
        pen < 26 ? String(UnicodeScalar(UInt8(ascii: "a") + UInt8(pen))) : "*"
    }

    /// A line for each series. Where there are no colors, a letter says which line it is.
    private func legend(_ panel: PlotPanel, width: Int, isLettered: Bool, on terminal: Terminal) -> [String] {
        let names = panel.series.enumerated().map { pen, series in
            let letter = isLettered && panel.series.count > 1 ? "\(Self.letter(pen)) " : ""
            return letter + DisplayWidth.cut(series.label, to: max(8, width / 2))
        }
        let widest = names.reduce(0) { max($0, DisplayWidth.of($1)) }
        return zip(panel.series, names).enumerated().map { pen, item in
            let space = String(repeating: " ", count: widest - DisplayWidth.of(item.1) + 2)
            let numbers = DisplayWidth.cut(sentence: PlotLegend(item.0).text, to: max(0, width - widest - 2))
            return terminal.paint(item.1, as: Paint.series(pen)) + space + numbers
        }
    }

    private func rows(
        _ panel: PlotPanel, axis: PlotAxis, labels: Int, columns: Int, height: Int, isLettered: Bool,
        on terminal: Terminal
    ) -> [String] {
        var canvas = BrailleCanvas(columns: columns, rows: height)
        var letters: [Int: String] = [:]
        for (pen, series) in panel.series.enumerated() {
            draw(series, axis: axis, pen: pen, on: &canvas)
            guard isLettered, panel.series.count > 1, let last = series.points.last else { continue }
            letters[Self.y(last.mean * series.factor, axis, canvas) / 4, default: " "] += Self.letter(pen)
        }
        var ticks: [Int: String] = [:]
        for tick in axis.ticks { ticks[Self.y(tick.value, axis, canvas) / 4] = tick.text }
        return (0..<height).map { row in
            let text = DisplayWidth.cut(ticks[row] ?? "", to: labels)
            let space = String(repeating: " ", count: max(0, labels - DisplayWidth.of(text)))
            let dots = canvas.line(row) { terminal.paint($0, as: Paint.series($1)) }
            let end = letters[row].map { DisplayWidth.cut($0, to: 8) } ?? ""
            return space + text + (ticks[row] == nil ? "│" : "┤") + dots + end
        }
    }

    private static func y(_ number: Double, _ axis: PlotAxis, _ canvas: BrailleCanvas) -> Int {
        Int(((1 - axis.position(of: number)) * Double(max(0, canvas.height - 1))).rounded())
    }

    /// Draws the range of each column, and a line from mean to mean where there is no gap.
    private func draw(_ series: PlottedSeries, axis: PlotAxis, pen: Int, on canvas: inout BrailleCanvas) {
        let factor = series.factor
        var last: (x: Int, y: Int)?
        for point in series.points {
            // Long numbers on an axis may leave less dots than columns, so that some share one.
            let x = min(point.column * min(canvas.width, plot.columns) / max(1, plot.columns), canvas.width - 1)
            let y = Self.y(point.mean * factor, axis, canvas)
            canvas.line(
                from: (x, Self.y(point.least * factor, axis, canvas)),
                to: (x, Self.y(point.greatest * factor, axis, canvas)),
                pen: pen)
            canvas.line(from: point.isJoined ? last ?? (x, y) : (x, y), to: (x, y), pen: pen)
            last = (x, y)
        }
    }

    private func timeAxis(labels: Int, columns: Int) -> [String] {
        let dots = min(2 * columns, plot.columns)
        var axis = Array(repeating: Character("─"), count: max(1, columns))
        var texts: [(start: Int, text: String)] = []
        for tick in TimeAxis(plot.time, offset: offset).ticks(most: max(2, columns / 8)) {
            let cell = max(0, min(axis.count - 1, Int(tick.position * Double(dots)) / 2))
            axis[cell] = "┬"
            let start = max(0, min(cell - tick.text.count / 2, columns - tick.text.count))
            texts.append((start, tick.text))
        }
        var line = ""
        for (start, text) in texts where line.isEmpty || start > line.count {
            line += String(repeating: " ", count: max(0, start - line.count)) + text
        }
        let margin = String(repeating: " ", count: labels)
        return [margin + "└" + String(axis), margin + " " + line]
    }
}

extension Paint {
    private static let ofSeries: [Paint] = [.accent, .warning, .magenta, .good, .blue, .bad]

    /// The color of a series among those of a panel.
    fileprivate static func series(_ number: Int) -> Paint { ofSeries[abs(number % ofSeries.count)] }
}
