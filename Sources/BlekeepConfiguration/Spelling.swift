import Blekeep

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
}
