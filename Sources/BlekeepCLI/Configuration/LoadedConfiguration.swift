import Blekeep

/// A configuration, and the files that it was read from, in their order.
struct LoadedConfiguration: Sendable, Equatable {
    var configuration: Configuration
    var files: [String]
    /// How many values with known meanings its layouts were tried on.
    var layoutTests = 0
}
