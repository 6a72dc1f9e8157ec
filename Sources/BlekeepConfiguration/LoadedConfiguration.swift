import Blekeep

/// A configuration, and the files that it was read from, in their order.
package struct LoadedConfiguration: Sendable, Equatable {
    package var configuration: Configuration
    package var files: [String]
    /// How many values with known meanings its layouts were tried on.
    package var layoutTests = 0
}
