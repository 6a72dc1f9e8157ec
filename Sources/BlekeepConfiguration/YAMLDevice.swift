import BlekeepRecords
import Yams

/// A device in the text of a configuration, with the lines that it takes.
struct YAMLDevice {
    /// The place of its first key, or of its brace.
    let mark: Mark

    private let lines: [[Unicode.Scalar]]
    private let mapping: Node.Mapping
    /// Whether its keys are in braces.
    private let isBraced: Bool
    /// The column of the dashes before the items; `nil` for a list in brackets.
    private let dash: Int?

    /// Whether the list of devices is in brackets.
    var isInBrackets: Bool { dash == nil }

    /// - Returns: `nil` when the text has no such device.
    init?(_ address: BluetoothAddress, in text: String) {
        guard let root = try? Yams.compose(yaml: text, .default, .default, .utf8),
            case .sequence(let list)? = root.mapping?["devices"]
        else { return nil }
        let found = list.first { $0.mapping?["address"]?.scalar.flatMap { BluetoothAddress($0.string) } == address }
        guard let node = found, case .mapping(let mapping) = node, let mark = node.mark else { return nil }
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

    /// Returns the text with another value of a key, or with the key and the value after the address.
    func setting(_ key: String, to value: String) -> String? {
        if let scalar = mapping[key]?.scalar { return replacing(scalar, by: value) }
        guard let (name, address) = mapping.first(where: { $0.key.string == "address" }),
            let place = name.mark, let scalar = address.scalar, let end = end(of: scalar)
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

    /// Returns the text without a key and its value; with another value when a comment follows it, which stays.
    ///
    /// - Parameter value: the value that has the meaning of the missing key.
    func removing(_ key: String, asFor value: String) -> String? {
        guard let (name, node) = mapping.first(where: { $0.key.string == key }) else { return Self.text(lines) }
        guard let start = name.mark, let scalar = node.scalar, let end = end(of: scalar), end.line == start.line - 1
        else { return nil }
        let before = lines[end.line][..<(start.column - 1)]
        let after = lines[end.line][end.column...]
        guard isBraced else {
            // The dash before the device's first key stands in the same line.
            guard Self.isBlank(before), Self.isBlank(after) else { return replacing(scalar, by: value) }
            return Self.text(Array(lines[..<end.line] + lines[(end.line + 1)...]))
        }
        // The pair goes with the comma before it.
        guard let comma = before.lastIndex(where: { !Self.blanks.contains($0) }), before[comma] == "," else {
            return replacing(scalar, by: value)
        }
        var lines = lines
        lines[end.line].removeSubrange(comma..<end.column)
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
        var end = first + 1
        for index in first + 1..<max(first + 1, lines.count) {
            guard let indent = indent(of: index) else { continue }
            // Less deep lines belong to what follows, also comments.
            if indent < dash { break }
            end = index + 1
        }
        return Self.text(Array(lines[..<first] + lines[end...]))
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
