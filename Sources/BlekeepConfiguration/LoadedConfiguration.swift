import Blekeep

/// A configuration and its files, in order.
package struct LoadedConfiguration: Sendable, Equatable {
    package var configuration: Configuration
    package var files: [String]
    /// The number of tests that its layouts passed.
    package var layoutTests = 0
    /// The files that it names for blekeep to read.
    var namedFiles: [NamedFile] = []
}
