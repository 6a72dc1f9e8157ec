/// The search for the correct word for a misspelled one.
package enum Spelling {
    /// Returns the most similar of `words`; `nil` if none is similar.
    package static func closest(to word: String, among words: [String]) -> String? {
        let word = Array(word.lowercased().prefix(64))
        let near = words.map { (word: $0, slips: slips(word, Array($0.lowercased()))) }.min { $0.slips < $1.slips }
        guard let near, near.slips <= max(1, near.word.count / 3) else { return nil }
        return near.word
    }

    /// Returns the number of letters to add, remove or change (Levenshtein distance).
    private static func slips(_ left: [Character], _ right: [Character]) -> Int {
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let above = row[column + 1]
                row[column + 1] = letter == other ? diagonal : 1 + min(diagonal, above, row[column])
                diagonal = above
            }
        }
        return row[right.count]
    }
}
