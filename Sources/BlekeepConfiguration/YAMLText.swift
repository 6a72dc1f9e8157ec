import Blekeep
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
        let first = place(context.mark.line, context.mark.column)
        guard let second = YAMLKeys(lines: lines).next(key, after: context.mark) else {
            problems.append(
                ConfigurationProblem(place: first, message: "the key \(Quoted.text(key)) occurs twice; keep one"))
            return false
        }
        let spot = place(second.line, second.column)
        problems.append(
            ConfigurationProblem(
                place: spot,
                message: "the key \(Quoted.text(key)) is set already in line \(context.mark.line); keep one"))
        hidden.insert(spot)
        lines[second.line - 1][second.column - 1] = Unicode.Scalar(0xE000 + UInt32(hidden.count)) ?? "_"
        return true
    }

    private func place(_ line: Int, _ column: Int) -> ConfigurationLocation {
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
