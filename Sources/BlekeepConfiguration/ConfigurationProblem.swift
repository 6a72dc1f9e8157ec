import BlekeepOutputs

/// A mistake in a configuration, and its correction.
package struct ConfigurationProblem: Error, Sendable, Hashable, CustomStringConvertible {
    package var place: ConfigurationLocation
    /// The mistake; its correction.
    package var message: String
    /// Whether the system lacks something for now, and the files may be good.
    var isPassing = false

    /// One line: `file:line:column: mistake; correction`.
    package var description: String { "\(place): \(Untrusted.whole(message))" }
}

/// A place in a configuration file.
package struct ConfigurationLocation: Sendable, Hashable, CustomStringConvertible {
    package var file: String
    /// The line, from 1; `nil` for the file as a whole.
    package var line: Int?
    /// The column, from 1, in Unicode scalars.
    package var column: Int?

    package var description: String {
        let file = Untrusted.whole(file)
        guard let line else { return file }
        return "\(file):\(line):\(column ?? 1)"
    }

    /// Whether this place precedes another one of the same file.
    func precedes(_ other: Self) -> Bool { (line ?? 0, column ?? 0) < (other.line ?? 0, other.column ?? 0) }
}

/// All mistakes in a configuration, in the order of files and lines.
package struct ConfigurationErrors: Error, Sendable, Hashable, CustomStringConvertible {
    package let problems: [ConfigurationProblem]

    /// Whether the files may be good another time.
    package var isPassing: Bool { problems.contains(where: \.isPassing) }

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

/// Text from a file, quoted for a message.
package enum Quoted {
    /// Returns the text in backquotes, cut after 40 characters. `ConfigurationProblem` escapes it.
    package static func text(_ text: String) -> String {
        text.unicodeScalars.count > 40 ? "`\(String(text.unicodeScalars.prefix(40)))…`" : "`\(text)`"
    }
}
