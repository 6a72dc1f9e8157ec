import BlekeepOutputs

/// One thing that is wrong in a configuration, and what to do about it.
package struct ConfigurationProblem: Error, Sendable, Hashable, CustomStringConvertible {
    package var place: ConfigurationLocation
    /// What is wrong; what to do.
    package var message: String

    /// `file:line:column: what is wrong; what to do`, always one line.
    package var description: String { "\(place): \(Untrusted.whole(message))" }
}
