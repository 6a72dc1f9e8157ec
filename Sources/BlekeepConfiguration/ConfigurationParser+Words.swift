import Blekeep

/// Values with a choice of words.
extension ConfigurationParser {
    /// Reads `security:` of a characteristic.
    mutating func security(_ entry: YAMLEntry?) -> PointSecurity? { word(entry, what: "security level") }

    /// - Parameter what: the noun for the word in messages, such as `mode`.
    mutating func word<Word>(_ entry: YAMLEntry?, what: String) -> Word?
    where Word: CaseIterable & RawRepresentable<String> {
        let words = Word.allCases.map(\.rawValue)
        let all = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
        guard let entry, let text = reader.text(entry, what: all) else { return nil }
        if let word = Word(rawValue: text) { return word }
        let meant = Spelling.closest(to: text, among: words)
        reader.note(
            "\(Quoted.text(text)) isn't a \(what); \(meant.map { "did you mean `\($0)`?" } ?? "write \(all)")",
            at: entry.valuePlace(in: reader.file))
        return nil
    }
}
