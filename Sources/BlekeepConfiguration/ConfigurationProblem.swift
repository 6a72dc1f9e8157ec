import BlekeepOutputs

/// A mistake in a configuration, and its correction.
package struct ConfigurationProblem: Error, Sendable, Hashable, CustomStringConvertible {
    package var place: ConfigurationLocation
    /// The mistake; its correction.
    package var message: String

    /// One line: `file:line:column: mistake; correction`.
    package var description: String { "\(place): \(Untrusted.whole(message))" }
}
