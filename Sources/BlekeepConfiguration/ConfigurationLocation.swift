import BlekeepOutputs

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
    func precedes(_ other: Self) -> Bool {
        (line ?? 0, column ?? 0) < (other.line ?? 0, other.column ?? 0)
    }
}
