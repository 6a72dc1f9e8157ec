import BlekeepOutputs
import BlekeepRecords
import Yams

/// Values as YAML.
package enum YAMLString {
    /// Returns the text in double quotes, which YAML reads back as it was; characters that can't be seen are `\U0000115F`.
    package static func quoted(_ text: String) -> String {
        var quoted = "\"".unicodeScalars
        for scalar in text.unicodeScalars {
            if scalar.isInvisible {
                quoted.append(contentsOf: "\\U\(String(hex: scalar.value, width: 8).uppercased())".unicodeScalars)
            } else {
                if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
                quoted.append(scalar)
            }
        }
        return String(quoted) + "\""
    }

    /// Returns the text without quotes if YAML reads the same text then, and doesn't take it for anything else.
    package static func scalar(_ text: String) -> String { isPlain(text) ? text : quoted(text) }

    /// Returns the text of a key with quotes only where YAML reads something else without them.
    static func scalar(_ text: String, of key: String) -> String {
        let isSafe = !text.unicodeScalars.contains { ",[]{}#".unicodeScalars.contains($0) || $0.isInvisible }
        guard isSafe, let root = try? Yams.compose(yaml: "\(key): \(text)", .default, .default, .utf8),
            let scalar = root.mapping?[key]?.scalar, scalar.style == .plain, scalar.string == text, !scalar.isNull
        else { return quoted(text) }
        return text
    }

    package static func text(_ value: SettingValue) -> String {
        switch value {
        case .text(let text): scalar(text)
        case .number(let number): "\(number)"
        case .flag(let flag): "\(flag)"
        case .words(let words): "[\(words.map(scalar).joined(separator: ", "))]"
        case .mapping(let text): text
        }
    }

    /// Returns a mapping on one line, without the keys that have no value.
    package static func mapping(_ pairs: [(key: String, value: SettingValue?)]) -> String {
        let texts = pairs.compactMap { key, value in value.map { "\(key): \(text($0))" } }
        return "{\(texts.joined(separator: ", "))}"
    }

    /// Whether the text has a letter and only safe signs, and isn't a word for null, true or false.
    private static func isPlain(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, isWordSign(first) || first == UInt8(ascii: "/"),
            bytes.contains(where: \.isLetter), bytes.allSatisfy({ isWordSign($0) || signs.contains($0) }),
            bytes.last != UInt8(ascii: ":")
        else { return false }
        return !reserved.contains(text.lowercased())
    }

    private static let signs = Array("/.:@-".utf8)
    private static let reserved: Set = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]

    private static func isWordSign(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_")
    }
}
