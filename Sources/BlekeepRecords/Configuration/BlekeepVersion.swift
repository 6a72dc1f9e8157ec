/// The version of all programs of the package.
package enum BlekeepVersion {
    package static let text = "0.1.0"
}
