/// The search for the correct word for a misspelled one.
package enum Spelling {
    /// Returns the most similar of `words`; `nil` if none is similar.
    package static func closest(to word: String, among words: [String]) -> String? {
        let word = Array(word.lowercased().prefix(64))
        let near = words.map { (word: $0, slips: slips(word, Array($0.lowercased()))) }.min { $0.slips < $1.slips }
        guard let near, near.slips <= max(1, near.word.count / 3) else { return nil }
        return near.word
    }

    /// Returns the number of letters to add, remove, change, or swap with their neighbor (Damerau-Levenshtein distance).
    private static func slips(_ left: [Character], _ right: [Character]) -> Int {
        var before: [Int] = []
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var next = [index + 1]
            for (column, other) in right.enumerated() {
                var least = min(row[column] + (letter == other ? 0 : 1), row[column + 1] + 1, next[column] + 1)
                if index > 0, column > 0, letter == right[column - 1], left[index - 1] == other {
                    least = min(least, before[column - 1] + 1)
                }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row[right.count]
    }
}
