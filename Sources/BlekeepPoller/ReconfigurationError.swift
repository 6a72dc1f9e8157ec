/// Why a running keeper doesn't take a new configuration.
package struct ReconfigurationError: Error, CustomStringConvertible {
    /// A sentence for the user.
    package let description: String

    package init(_ description: String) { self.description = description }
}
