/// Texts in the language of manual pages.
enum Roff {
    static func title(_ name: String, section: Int, manual: String) -> String {
        ".TH \(name) \(section) \"\" \"blekeep \(Version.text)\" \"\(manual)\""
    }

    /// Terms with their meanings.
    static func list(_ terms: [(term: String, meaning: String)]) -> [String] {
        terms.flatMap { [".TP", "\\fB\(escaped($0.term))\\fR", escaped($0.meaning)] }
    }

    /// Lines that stay as they are.
    static func block(_ text: String) -> [String] {
        [".nf"] + text.split(separator: "\n", omittingEmptySubsequences: false).map { escaped(String($0)) } + [".fi"]
    }

    /// Escapes the characters that begin a request.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            default: result.append(character)
            }
        }
        return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&" + result : result
    }
}
