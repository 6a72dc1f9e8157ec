import Yams

/// Finds keys in the lines of a YAML text.
struct YAMLKeys {
    let lines: [[Unicode.Scalar]]

    /// Returns the place where the key at `mark` occurs again in the same mapping; `nil` if it has quotes there.
    func next(_ key: String, after mark: Mark) -> (line: Int, column: Int)? {
        let key = Array(key.unicodeScalars)
        let column = mark.column - 1
        guard !key.isEmpty, lines.indices.contains(mark.line - 1), column >= 0 else { return nil }
        let line = lines[mark.line - 1]
        for start in min(column + key.count, line.count)..<max(line.count, min(column + key.count, line.count))
        where ["{", ",", " "].contains(line[start - 1]) && isKey(key, at: start, of: line) {
            return (mark.line, start + 1)
        }
        for index in mark.line..<max(mark.line, lines.count) {
            let line = lines[index]
            guard let indent = line.firstIndex(where: { $0 != " " && $0 != "\r" }), line[indent] != "#" else {
                continue
            }
            if indent < column { return nil }
            if indent == column, isKey(key, at: indent, of: line) { return (index + 1, indent + 1) }
        }
        return nil
    }

    private func isKey(_ key: [Unicode.Scalar], at start: Int, of line: [Unicode.Scalar]) -> Bool {
        let rest = line[start...]
        guard rest.starts(with: key) else { return false }
        return rest.dropFirst(key.count).first { $0 != " " } == ":"
    }
}
