import BlekeepRecords
import Yams

/// An item of a list in the text of a configuration, such as a device, with the lines that it takes.
struct YAMLItem {
    /// The place of its first key, or of its brace.
    let mark: Mark

    /// The key by which it was found, which new keys follow.
    private let identity: String
    private let lines: [[Unicode.Scalar]]
    private let mapping: Node.Mapping
    /// Whether its keys are in braces.
    private let isBraced: Bool
    /// The column of the dashes before the items; `nil` for a list in brackets.
    private let dash: Int?

    /// Whether the list is in brackets.
    var isInBrackets: Bool { dash == nil }

    /// Finds a device. Returns `nil` when the text has no such device.
    init?(_ address: BluetoothAddress, in text: String) {
        self.init(in: text, of: "devices", by: "address") { BluetoothAddress($0) == address }
    }

    /// - Parameter identity: the key of the items whose value tells them apart.
    init?(in text: String, of list: String, by identity: String, where isWanted: (String) -> Bool) {
        guard let root = try? Yams.compose(yaml: text, .default, .default, .utf8),
            case .sequence(let list)? = root.mapping?[list]
        else { return nil }
        let found = list.first { $0.mapping?[identity]?.scalar.map { isWanted($0.string) } ?? false }
        guard let node = found, case .mapping(let mapping) = node, let mark = node.mark else { return nil }
        self.identity = identity
        self.mapping = mapping
        self.mark = mark
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
        // The parser's styles of lists and mappings are unreliable.
        func opens(_ sign: Unicode.Scalar, at mark: Mark) -> Bool {
            lines.indices.contains(mark.line - 1) && lines[mark.line - 1].dropFirst(mark.column - 1).first == sign
        }
        isBraced = opens("{", at: mark)
        dash = list.mark.flatMap { opens("-", at: $0) ? $0.column : nil }
        self.lines = lines
    }

    private static func text(_ lines: [[Unicode.Scalar]]) -> String {
        String(String.UnicodeScalarView(lines.joined(separator: CollectionOfOne("\n"))))
    }

    // MARK: Settings

    /// Returns the text with another value of a key, or with the key and the value after the item's identity.
    /// Returns `nil` where a comment would be lost, or the value is written in an unusual way.
    func setting(_ key: String, to value: String) -> String? {
        if let (name, node) = mapping.first(where: { $0.key.string == key }) {
            return replacing(node, of: name, by: value)
        }
        guard let (name, node) = mapping.first(where: { $0.key.string == identity }),
            let place = name.mark, let scalar = node.scalar, let end = end(of: scalar)
        else { return nil }
        var lines = lines
        if isBraced {
            lines[end.line].insert(contentsOf: ", \(key): \(value)".unicodeScalars, at: end.column)
        } else {
            let indent = String(repeating: " ", count: max(0, place.column - 1))
            let ending = lines[end.line].last == "\r" ? "\r" : ""
            lines.insert(Array("\(indent)\(key): \(value)\(ending)".unicodeScalars), at: end.line + 1)
        }
        return Self.text(lines)
    }

    /// Returns the text without a key and its value. A comment behind it gets a line of its own.
    /// Returns `nil` as for a new value.
    func removing(_ key: String) -> String? {
        let pairs = Array(mapping)
        guard let index = pairs.firstIndex(where: { $0.key.string == key }) else { return Self.text(lines) }
        let (name, node) = pairs[index]
        guard let start = name.mark, let end = end(of: node, key: name) else { return nil }
        let column = start.column - 1
        let before = lines[start.line - 1][..<column]
        let after = lines[end.line][end.column...]
        let next = pairs.dropFirst(index + 1).first?.key.mark
        var lines = lines
        if isBraced {
            guard end.line == start.line - 1 else { return nil }
            if let comma = before.lastIndex(where: { !Self.blanks.contains($0) }), before[comma] == "," {
                lines[end.line].removeSubrange(comma..<end.column)
            } else if let next, next.line == start.line {
                lines[end.line].removeSubrange(column..<next.column - 1)
            } else {
                return nil
            }
        } else if Self.isBlank(before) {
            let isCommented = !Self.isBlank(after)
            let comment = Array(before) + Array(after.drop(while: Self.blanks.contains))
            lines.replaceSubrange(start.line - 1...end.line, with: isCommented ? [comment] : [])
        } else {
            // The dash before the device's first key goes to the next key.
            guard let next, next.line == end.line + 2, next.column == start.column, Self.isBlank(after) else {
                return nil
            }
            let rest = lines[next.line - 1][(next.column - 1)...]
            lines.replaceSubrange(start.line - 1..<next.line, with: [Array(before) + Array(rest)])
        }
        return Self.text(lines)
    }

    private static let blanks: Set<Unicode.Scalar> = [" ", "\t", "\r"]

    private static func isBlank(_ text: ArraySlice<Unicode.Scalar>) -> Bool { text.allSatisfy(blanks.contains) }

    private func replacing(_ scalar: Node.Scalar, by value: String) -> String? {
        guard let mark = scalar.mark, let end = end(of: scalar) else { return nil }
        var lines = lines
        lines[end.line].replaceSubrange(mark.column - 1..<end.column, with: value.unicodeScalars)
        return Self.text(lines)
    }

    private func replacing(_ node: Node, of key: Node, by value: String) -> String? {
        if let scalar = node.scalar, !scalar.isNull { return replacing(scalar, by: value) }
        guard let end = end(of: node, key: key), let colon = colon(after: key) else { return nil }
        // A value in lines of its own, and a comment in the line of the key.
        let isBlock = node.scalar == nil && !isInBrackets(node)
        let line = lines[colon.line]
        let rest = isBlock ? line[colon.column...] : lines[end.line][end.column...]
        var lines = lines
        let new = Array(line[..<colon.column]) + Array(" \(value)".unicodeScalars) + Array(rest)
        lines.replaceSubrange(colon.line...end.line, with: [new])
        return Self.text(lines)
    }

    /// Returns the index of a key's line, and of the column after its colon.
    private func colon(after key: Node) -> (line: Int, column: Int)? {
        guard let scalar = key.scalar, let end = end(of: scalar), let colon = lines[end.line][end.column...].first,
            colon == ":"
        else { return nil }
        return (end.line, end.column + 1)
    }

    private func isInBrackets(_ node: Node) -> Bool {
        guard let mark = node.mark, lines.indices.contains(mark.line - 1) else { return false }
        return lines[mark.line - 1].dropFirst(mark.column - 1).first.map { ["[", "{"].contains($0) } ?? false
    }

    /// Returns the index of a value's last line, and of the column after it; `nil` if a comment is in it.
    private func end(of node: Node, key: Node) -> (line: Int, column: Int)? {
        if let scalar = node.scalar { return scalar.isNull ? colon(after: key) : end(of: scalar) }
        guard let mark = node.mark, let start = key.mark else { return nil }
        if isInBrackets(node) { return bracket(after: mark) }
        guard let colon = colon(after: key), Self.isBlank(lines[colon.line][colon.column...]) else { return nil }
        var end = colon.line
        for index in colon.line + 1..<max(colon.line + 1, lines.count) {
            guard let indent = indent(of: index) else { continue }
            let isItem = indent == start.column - 1 && node.sequence != nil && lines[index][indent] == "-"
            guard indent >= start.column || isItem else { break }
            if lines[index].contains("#") { return nil }
            end = index
        }
        return (end, lines[end].lastIndex { !Self.blanks.contains($0) }.map { $0 + 1 } ?? 0)
    }

    /// Returns the index of the line with the bracket that ends a value, and of the column after it.
    private func bracket(after mark: Mark) -> (line: Int, column: Int)? {
        var depth = 0
        var column = mark.column - 1
        for index in mark.line - 1..<max(mark.line - 1, lines.count) {
            let line = lines[index]
            while column < line.count {
                switch line[column] {
                case "[", "{": depth += 1
                case "]", "}": depth -= 1
                case "'", "\"":
                    guard let end = Self.closing(line[column], in: line[(column + 1)...]) else { return nil }
                    column = end
                case "#" where column == 0 || Self.blanks.contains(line[column - 1]): return nil
                default: break
                }
                column += 1
                if depth == 0 { return (index, column) }
            }
            column = 0
        }
        return nil
    }

    /// Returns the index of a value's line, and of the column after it; `nil` for a value of several lines.
    private func end(of scalar: Node.Scalar) -> (line: Int, column: Int)? {
        guard let mark = scalar.mark, lines.indices.contains(mark.line - 1), mark.column >= 1 else { return nil }
        let rest = lines[mark.line - 1].dropFirst(mark.column - 1)
        switch scalar.style {
        case .plain:
            let text = Array(scalar.string.unicodeScalars)
            guard rest.starts(with: text) else { return nil }
            return (mark.line - 1, mark.column - 1 + text.count)
        case .singleQuoted, .doubleQuoted:
            guard let quote = rest.first, quote == "'" || quote == "\"" else { return nil }
            return Self.closing(quote, in: rest.dropFirst()).map { (mark.line - 1, $0 + 1) }
        default: return nil
        }
    }

    /// Returns the index of the quote that ends a text.
    private static func closing(_ quote: Unicode.Scalar, in text: ArraySlice<Unicode.Scalar>) -> Int? {
        var index = text.startIndex
        while index < text.endIndex {
            let isDoubled = quote == "'" && text[index] == "'" && text[index...].dropFirst().first == "'"
            if text[index] == quote, !isDoubled { return index }
            let isEscape = quote == "\"" && text[index] == "\\"
            index += isDoubled || isEscape ? 2 : 1
        }
        return nil
    }

    // MARK: Removal

    /// Returns the text without the device's lines; `nil` for a list in brackets.
    func removed() -> String? {
        guard let dash, let first = firstLine(dash) else { return nil }
        return Self.text(Array(lines[..<first] + lines[(lastLine(from: first, dash: dash) + 1)...]))
    }

    private func lastLine(from first: Int, dash: Int) -> Int {
        var end = first
        for index in first + 1..<max(first + 1, lines.count) {
            guard let indent = indent(of: index) else { continue }
            // Less deep lines belong to what follows, also comments.
            if indent < dash { break }
            end = index
        }
        return end
    }

    /// Returns the index of the line with the dash before the device.
    private func firstLine(_ dash: Int) -> Int? {
        var index = min(mark.line, lines.count) - 1
        while index >= 0 {
            if indent(of: index) == dash - 1, lines[index][dash - 1] == "-" { return index }
            index -= 1
        }
        return nil
    }

    /// Returns the number of spaces before a line's text; `nil` for a blank line.
    private func indent(of index: Int) -> Int? {
        lines[index].firstIndex { !Self.blanks.contains($0) }
    }
}
