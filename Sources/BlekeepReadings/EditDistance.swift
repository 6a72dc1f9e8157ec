extension Array where Element: Equatable {
    /// The number of letters to insert, remove, replace or swap with a neighbor to turn one word into the other.
    package func editDistance(to other: Self) -> Int {
        var beforeLast: [Int] = []
        var last = [Int](0...other.count)
        for (row, letter) in enumerated() {
            var current = [row + 1]
            for (column, target) in other.enumerated() {
                let replaced = last[column] + (letter == target ? 0 : 1)
                var best = Swift.min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == other[column - 1], self[row - 1] == target {
                    best = Swift.min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[other.count]
    }
}

/// The search for the correct word for a misspelled one.
package enum Spelling {
    /// Returns the most similar of `words`; `nil` if none is similar.
    package static func closest(to word: String, among words: [String]) -> String? {
        let word = Array(word.lowercased().prefix(64))
        let near = words.map { (word: $0, slips: word.editDistance(to: Array($0.lowercased()))) }.min {
            $0.slips < $1.slips
        }
        guard let near, near.slips <= max(1, near.word.count / 3) else { return nil }
        return near.word
    }

    /// Returns the most similar of `words`, or else the longest one that `word` begins with, such as `ruuvi` for `ruuvitag`.
    package static func meant(by word: String, among words: [String]) -> String? {
        closest(to: word, among: words)
            ?? words.filter { $0.count >= 4 && word.lowercased().hasPrefix($0) }.max { $0.count < $1.count }
    }

    /// Returns up to three of `words` that a user may have meant, the most similar first. A part of a word counts, too.
    package static func nearest(to word: String, among words: [String]) -> [String] {
        let wanted = word.lowercased()
        let letters = Array(wanted.prefix(64))
        var near: [(word: String, slips: Int)] = []
        for word in words where !near.contains(where: { $0.word == word }) {
            let slips = letters.editDistance(to: Array(word.lowercased()))
            if slips <= max(1, word.count / 3) {
                near.append((word, slips))
            } else if letters.count >= 3, word.lowercased().contains(wanted) {
                near.append((word, letters.count))
            }
        }
        return near.enumerated().sorted { ($0.element.slips, $0.offset) < ($1.element.slips, $1.offset) }.prefix(3)
            .map(\.element.word)
    }
}
