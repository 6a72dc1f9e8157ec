/// Why the poller kept its configuration.
package struct ReloadFailure: Error, CustomStringConvertible {
    /// Whether the new configuration has a mistake.
    package var isMistake: Bool
    /// Sentences for the user, one per line.
    package var message: String
    package var description: String { message }

    package init(isMistake: Bool, _ message: String) { (self.isMistake, self.message) = (isMistake, message) }
}
