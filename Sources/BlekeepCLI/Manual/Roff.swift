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

    /// A discussion: paragraphs that wrap, and lists and examples whose lines stay as they are.
    static func discussion(_ text: String) -> [String] {
        var lines: [String] = []
        var block: [String] = []
        func end() {
            if !block.isEmpty { lines += [".PP"] + Self.block(block.joined(separator: "\n")) }
            block = []
        }
        for paragraph in text.split(separator: "\n\n", omittingEmptySubsequences: true).map(String.init) {
            let isPlain = !paragraph.split(separator: "\n").dropFirst().contains { $0.hasPrefix(" ") }
            if isPlain, !paragraph.hasPrefix(" ") {
                end()
                lines += [".PP"] + paragraph.split(separator: "\n").map { escaped(String($0)) }
            } else {
                block += (block.isEmpty ? [] : [""]) + [paragraph]
            }
        }
        end()
        return lines
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
