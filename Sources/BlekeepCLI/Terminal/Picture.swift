/// The lines of a live screen, with rows that scroll when not all have room.
struct Picture {
    /// The lines above the rows: a title, and the headings.
    var head: [String]
    /// One for each device.
    var rows: [String]
    var foot: [String] = []

    /// - Parameter table: its headings come first.
    init(head: [String] = [], table: [String], foot: [String] = []) {
        self.head = head + table.prefix(1)
        rows = Array(table.dropFirst())
        self.foot = foot
    }

    func fits(_ height: Int) -> Bool { head.count + rows.count + foot.count <= height }
}

/// The part of a picture's rows that a window shows. Pure.
struct Scroll {
    /// The number of rows above the window.
    private var above = 0
    /// The numbers of rows in the window and outside of it, in the last picture.
    private var shown = 0
    private var hidden = 0

    mutating func move(_ key: KeyPress) {
        switch key {
        case .up: above -= 1
        case .down: above += 1
        case .pageUp: above -= max(1, shown - 1)
        case .pageDown: above += max(1, shown - 1)
        case .home: above = 0
        case .end: above = hidden
        case .quit: break
        }
        above = min(max(0, above), hidden)
    }

    /// Returns the lines that fit, with a line that says how many rows don't.
    ///
    /// - Parameter hint: what that line adds if it has room, such as `arrows scroll`.
    mutating func lines(of picture: Picture, columns: Int, height: Int, hint: String = "") -> [String] {
        let room = height - picture.head.count - picture.foot.count
        guard picture.rows.count > room else {
            self = Scroll()
            return picture.head + picture.rows + picture.foot
        }
        shown = max(0, room - 1)
        hidden = picture.rows.count - shown
        above = min(above, hidden)
        let rest = Self.text(above: above, below: hidden - above)
        let withHint = hint.isEmpty ? rest : "\(rest) (\(hint))"
        let line = DisplayWidth.of(withHint) <= columns ? withHint : DisplayWidth.cut(rest, to: columns)
        let lines = picture.head + picture.rows.dropFirst(above).prefix(shown) + [line] + picture.foot
        return Array(lines.prefix(height))
    }

    private static func text(above: Int, below: Int) -> String {
        func devices(_ count: Int) -> String { count == 1 ? "device" : "devices" }
        if above == 0 { return "… and \(below) more \(devices(below))" }
        return "… \(above) \(devices(above)) above" + (below == 0 ? "" : ", \(below) below")
    }
}
