import Yams

/// Errors of Yams as messages for users.
struct YAMLProblem {
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
