import BlekeepRecords
import Yams

/// The text of one file as YAML.
///
/// Yams stops at the first key that occurs twice in a mapping. `YAMLText` notes the key, hides it behind an unusual
/// character, and reads the text again, to find the other mistakes, too.
struct YAMLText {
    /// The document; `nil` when it is empty or isn't YAML.
    private(set) var root: Node?
    private(set) var problems: [ConfigurationProblem] = []
    /// The places of hidden keys.
    private(set) var hidden: Set<ConfigurationLocation> = []

    private let file: String
    private var lines: [[Unicode.Scalar]]

    init(_ text: String, file: String) {
        self.file = file
        lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
        if let problem = Self.unusable(lines, file: file) {
            problems.append(problem)
            return
        }
        for _ in 0..<100 {
            switch Result(catching: compose) {
            case .success(let node):
                root = node
                return
            case .failure(let error):
                guard repair(error) else { return }
            }
        }
    }

    private func compose() throws -> Node? {
        let text = String(String.UnicodeScalarView(lines.joined(separator: CollectionOfOne("\n"))))
        return text.isEmpty ? nil : try Yams.compose(yaml: text, .default, .default, .utf8)
    }

    /// Notes the error, and returns whether the rest of the text can be read without it.
    private mutating func repair(_ error: any Error) -> Bool {
        guard case YamlError.duplicatedKeysInMapping(let keys, let context) = error, let key = keys.first else {
            problems.append(YAMLProblem(error, file: file, lines: lines).problem)
            return false
        }
        let first = place(line: context.mark.line, column: context.mark.column)
        guard let second = YAMLKeys(lines: lines).next(key, after: context.mark) else {
            problems.append(
                ConfigurationProblem(place: first, message: "the key \(Quoted.text(key)) occurs twice; keep one"))
            return false
        }
        let spot = place(line: second.line, column: second.column)
        problems.append(
            ConfigurationProblem(
                place: spot,
                message: "the key \(Quoted.text(key)) is set already in line \(context.mark.line); keep one"))
        hidden.insert(spot)
        lines[second.line - 1][second.column - 1] = Unicode.Scalar(0xE000 + UInt32(hidden.count)) ?? "_"
        return true
    }

    private func place(line: Int, column: Int) -> ConfigurationLocation {
        ConfigurationLocation(file: file, line: line, column: column)
    }

    /// Returns the first character that YAML doesn't allow.
    private static func unusable(_ lines: [[Unicode.Scalar]], file: String) -> ConfigurationProblem? {
        for (number, line) in lines.enumerated() {
            guard let column = line.firstIndex(where: isUnusable) else { continue }
            let code = String(hex: line[column].value, width: 4).uppercased()
            return ConfigurationProblem(
                place: ConfigurationLocation(file: file, line: number + 1, column: column + 1),
                message: "YAML doesn't allow the character U+\(code); remove it")
        }
        return nil
    }

    private static func isUnusable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xD, 0x85: false
        case 0..<0x20, 0x7F..<0xA0, 0xFEFF, 0xFFFE, 0xFFFF: true
        default: false
        }
    }
}

/// Finds keys in the lines of a YAML text.
private struct YAMLKeys {
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

/// Errors of Yams as messages for users.
private struct YAMLProblem {
    let problem: ConfigurationProblem

    init(_ error: any Error, file: String, lines: [[Unicode.Scalar]]) {
        var place = ConfigurationLocation(file: file, line: 1, column: 1)
        var message = "this isn't YAML; check the indentation, the colons and the quotes"
        if let (mark, text, context) = Self.details(error) {
            place.line = mark.line
            place.column = mark.column
            // libyaml adds a line to the end of every text.
            if mark.line > lines.count {
                place.line = max(1, lines.count)
                place.column = (lines.last?.count ?? 0) + 1
            }
            message = Self.sentence(text, context: context, isTab: Self.isTab(at: mark, lines))
        }
        problem = ConfigurationProblem(place: place, message: message)
    }

    private static func details(_ error: any Error) -> (Mark, String, YamlError.Context?)? {
        switch error {
        case YamlError.scanner(let context, let text, let mark, _): (mark, text, context)
        case YamlError.parser(let context, let text, let mark, _): (mark, text, context)
        case YamlError.composer(let context, let text, let mark, _): (mark, text, context)
        default: nil
        }
    }

    private static func sentence(_ text: String, context: YamlError.Context?, isTab: Bool) -> String {
        if text.contains("another document") { return "a second document starts here; keep one in each file" }
        if text.contains("undefined alias") {
            return "this alias (*name) has no anchor (&name); write the value instead"
        }
        if isTab { return "this is a tab; indent with spaces" }
        let start = context.map { " (\($0.text) of line \($0.mark.line))" } ?? ""
        return "this isn't YAML: \(text)\(start); check the indentation, the colons and the quotes"
    }

    private static func isTab(at mark: Mark, _ lines: [[Unicode.Scalar]]) -> Bool {
        guard lines.indices.contains(mark.line - 1), lines[mark.line - 1].indices.contains(mark.column - 1)
        else { return false }
        return lines[mark.line - 1][mark.column - 1] == "\t"
    }
}
