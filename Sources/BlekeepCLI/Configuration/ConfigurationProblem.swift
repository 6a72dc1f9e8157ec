import BlekeepOutputs

/// One thing that is wrong in a configuration, and what to do about it.
struct ConfigurationProblem: Error, Sendable, Hashable, CustomStringConvertible {
    var place: ConfigurationPlace
    /// What is wrong; what to do.
    var message: String

    /// `file:line:column: what is wrong; what to do`, always one line.
    var description: String { "\(place): \(Untrusted.whole(message))" }
}
