internal import CLoaded

/// A library that few gateways need. It is loaded when a sink needs it, so that the others need neither its package nor the
/// memory for it.
package struct LoadedLibrary: Sendable {
    private let name: String
    /// Debian's package.
    private let package: String
    private let load: @Sendable () -> Bool

    package static let curl = LoadedLibrary(name: "libcurl", package: "libcurl4") { blekeep_load_libcurl() }
    package static let postgres = LoadedLibrary(name: "libpq", package: "libpq5") { blekeep_load_libpq() }

    /// Loads the library, unless that has happened. Any thread may call it.
    /// Returns a sentence when it isn't there; `nil` when it is loaded.
    package var missing: String? { load() ? nil : "\(name) is missing; install the package \(package)" }
}
