/// All mistakes in a configuration, in the order of files and lines.
package struct ConfigurationErrors: Error, Sendable, Hashable, CustomStringConvertible {
    package let problems: [ConfigurationProblem]

    /// - Parameter files: the files in the order in which they were read.
    init(_ problems: [ConfigurationProblem], files: [String] = []) {
        let ranks = Dictionary(files.enumerated().map { ($1, $0) }) { first, _ in first }
        self.problems = problems.sorted { left, right in
            let ranks = (ranks[left.place.file] ?? .max, ranks[right.place.file] ?? .max)
            return ranks.0 == ranks.1 ? left.place.precedes(right.place) : ranks.0 < ranks.1
        }
    }

    /// One problem in each line.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
