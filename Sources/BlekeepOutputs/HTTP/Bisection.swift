/// Sends a request's lines in halves when the server refuses some of them, down to those lines. Pure.
struct Bisection {
    private var waiting: [Range<Int>]
    /// The lines that the server refused alone, and its last reason.
    private(set) var refused: [Int] = []
    private(set) var reason = ""
    /// Whether the server took a part of the lines.
    private(set) var hasAccepted = false

    /// The number of lines that may be refused before the server takes one: it may refuse all for another reason.
    static let mostRefused = 16

    init(count: Int) { waiting = count > 0 ? [0..<count] : [] }

    /// The lines to send next; `nil` at the end.
    var next: Range<Int>? { waiting.last }

    /// Whether the server seems to refuse everything.
    var isHopeless: Bool { !hasAccepted && refused.count >= Self.mostRefused }

    mutating func accepted() {
        hasAccepted = true
        waiting.removeLast()
    }

    mutating func refused(_ reason: String) {
        guard let lines = waiting.popLast() else { return }
        self.reason = reason
        guard lines.count > 1 else { return refused.append(lines.lowerBound) }
        let middle = lines.lowerBound + lines.count / 2
        // The first half comes first.
        waiting += [middle..<lines.upperBound, lines.lowerBound..<middle]
    }
}
