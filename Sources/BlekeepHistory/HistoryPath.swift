import BlekeepOutputs
import Glibc

/// The default path of a history.
package enum HistoryPath {
    /// `$STATE_DIRECTORY/history.sqlite` under systemd, `/var/lib/blekeep/history.sqlite` for root, else
    /// `blekeep/history.sqlite` in `$XDG_STATE_HOME` or `~/.local/state`.
    ///
    /// - Parameter environment: the process's variables.
    /// - Returns: `nil` when the user has no home folder.
    package static func `default`(environment: [String: String], isRoot: Bool = geteuid() == 0) -> String? {
        // systemd lists several folders with colons between them; the first is the unit's own.
        if let folder = environment["STATE_DIRECTORY"]?.split(separator: ":").first, folder.hasPrefix("/") {
            return "\(folder)/history.sqlite"
        }
        if isRoot { return service }
        if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
            return "\(folder)/blekeep/history.sqlite"
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/.local/state/blekeep/history.sqlite"
    }

    /// The history of the installed service.
    package static let service = "/var/lib/blekeep/history.sqlite"

    /// Returns the path to read from: the configured one, the user's own, or the service's if the user has none.
    ///
    /// - Parameter configured: the path in the configuration.
    package static func reading(
        _ configured: String?, environment: [String: String], service: String = Self.service
    ) throws(HistoryPathError) -> String {
        if configured == nil, isThere(service) {
            guard let own = Self.default(environment: environment), isThere(own) else { return service }
        }
        return try choose(configured, environment: environment)
    }

    /// Whether the file exists, or may exist in a folder that this user can't look into.
    private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 || errno == EACCES }

    /// Returns the configured path, or the default one.
    ///
    /// - Parameter configured: the path in the configuration.
    package static func choose(
        _ configured: String?, environment: [String: String]
    ) throws(HistoryPathError) -> String {
        guard let path = configured ?? Self.default(environment: environment) else {
            throw HistoryPathError(
                isInConfiguration: false,
                message: "there is no place for the history: set HOME, or 'history:' in the configuration")
        }
        var file = stat()
        guard stat(path, &file) != 0 || file.st_mode & S_IFMT != S_IFDIR else {
            throw HistoryPathError(
                isInConfiguration: true,
                message: "the history \(Untrusted.whole(path)) is a folder; name a file in it")
        }
        return path
    }
}

/// A history has no usable path; a sentence says why.
package struct HistoryPathError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Whether the configuration names the path.
    package let isInConfiguration: Bool
    package let message: String
    package var description: String { message }
}
