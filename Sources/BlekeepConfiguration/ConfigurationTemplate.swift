/// The keys of a configuration with their help and examples, as a file that `config check` finds good.
package enum ConfigurationTemplate {
    /// A key of the whole file.
    package struct Part {
        package let key: String
        /// What the key is for, as a sentence.
        package let remark: String
        /// The key with its value, and the keys below it with comments.
        package let lines: [String]
    }

    package static var parts: [Part] {
        Configuration.keys.map(\.facts).map { key in
            let help = help(on: key)
            return Part(
                key: key.name, remark: help.prefix(1).uppercased() + help.dropFirst() + ".",
                lines: lines([key], indent: "", hasComments: false))
        }
    }

    /// Returns the keys of a section as one of its examples has them.
    private static func lines(
        _ keys: [KeyFacts], example: Int = 0, indent: String, hasComments: Bool = true
    ) -> [String] {
        keys.flatMap { key -> [String] in
            guard let value = key.examples.dropFirst(example).first ?? nil else { return [] }
            let comment = hasComments ? comment(on: key, example: example, value: value) : ""
            let head = line("\(indent)\(key.name):\(value.isEmpty ? "" : " \(value)")", comment: comment)
            switch key.shape {
            case .value: return [head]
            case .section(let section): return [head] + lines(section.keys, indent: indent + "  ")
            case .foreign(let lines): return [head] + lines.map { "\(indent)  \($0)" }
            case .list(let section):
                let count = section.keys.map(\.examples.count).max() ?? 0
                return [head] + (0..<count).flatMap { item(section, example: $0, indent: indent + "  ") }
            }
        }
    }

    /// Returns an item of a list; the value alone where that stands for all keys.
    private static func item(_ section: SectionFacts, example: Int, indent: String) -> [String] {
        let keys = section.keys.filter { $0.examples.dropFirst(example).first ?? nil != nil }
        if let only = keys.first, keys.count == 1, only.name == section.shorthand, let value = only.examples[example] {
            return [line("\(indent)- \(value)", comment: comment(on: only, example: example, value: value))]
        }
        return lines(keys, example: example, indent: indent + "  ").enumerated().map { index, line in
            index == 0 ? "\(indent)- \(line.dropFirst(indent.count + 2))" : line
        }
    }

    /// Returns the help where the key comes first, and what a word means where it comes again.
    private static func comment(on key: KeyFacts, example: Int, value: String) -> String {
        guard key.examples.prefix(example).allSatisfy({ $0 == nil }) else {
            return plain(key.words.first { $0.word == value }?.meaning ?? "")
        }
        return help(on: key)
    }

    private static func help(on key: KeyFacts) -> String {
        let facts = [key.isLimit ? key.bounds : nil, key.defaultInWords.map { "default: \($0)" }].compactMap { $0 }
        return plain(key.help + (facts.isEmpty ? "" : " (\(facts.joined(separator: "; ")))"))
    }

    private static func line(_ text: String, comment: String) -> String {
        guard !comment.isEmpty else { return text }
        return text + String(repeating: " ", count: max(3, 30 - text.unicodeScalars.count)) + "# " + comment
    }

    /// Returns Markdown as plain text: code with spaces in quotes, and other code as it is.
    private static func plain(_ text: String) -> String {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, part in
            index % 2 == 1 && part.contains(" ") ? "'\(part)'" : String(part)
        }.joined()
    }
}
