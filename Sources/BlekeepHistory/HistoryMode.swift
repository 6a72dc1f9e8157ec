import Glibc

/// File modes of a history. Readings may be health data: the owner and the group may read them, below a home only the
/// owner.
enum HistoryMode {
    private static let suffixes = ["", "-wal", "-shm", ".lock"]

    /// Returns the widest mode for the files of a history.
    ///
    /// - Parameters:
    ///   - file: an absolute path without symbolic links.
    ///   - home: the user's home folder, if there is one.
    static func widest(for file: String, home: String? = userHome) -> mode_t {
        let homes = ["/home", "/root"] + [home].compactMap(\.self)
        return homes.contains { file.hasPrefix("\($0)/") } ? 0o600 : 0o640
    }

    /// `nil` also where a service has the root folder for a home.
    private static var userHome: String? {
        guard let home = getenv("HOME"), let real = realpath(home, nil) else { return nil }
        defer { free(real) }
        let path = String(cString: real)
        return path == "/" ? nil : path
    }

    /// Makes an empty database unless there is one: SQLite itself would let everyone read it. The files that SQLite
    /// makes beside a database get the database's mode.
    ///
    /// - Returns: whether there was none.
    static func makeDatabase(_ file: String, path: String) throws(HistoryError) -> Bool {
        let descriptor = open(file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, widest(for: file))
        guard descriptor >= 0 else {
            let code = errno
            if code == EEXIST { return false }
            throw HistoryError(system: code, path: path)
        }
        close(descriptor)
        return true
    }

    /// Removes other users' access to the history's files, if they are regular files of this user.
    /// Returns the new mode; `nil` if no mode was wider.
    static func tighten(_ file: String) -> mode_t? {
        let widest = widest(for: file)
        var isChanged = false
        for suffix in suffixes where tighten(file + suffix, to: widest) { isChanged = true }
        return isChanged ? widest : nil
    }

    private static func tighten(_ file: String, to widest: mode_t) -> Bool {
        // Not by a descriptor: closing one of a database lifts SQLite's locks in this process.
        var status = stat()
        guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o777 & ~widest != 0
        else { return false }
        return fchmodat(AT_FDCWD, file, status.st_mode & widest, AT_SYMLINK_NOFOLLOW) == 0
    }
}
