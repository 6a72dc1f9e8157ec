import Glibc

/// Whether somebody in another process looks at a history: a file beside it, as old as the last look.
package enum HistoryWatch {
    /// From look to look of somebody who goes on looking.
    package static let period: Duration = .seconds(5)
    /// After so many seconds without a look nobody looks any more.
    static let lifetime: Int64 = 15

    /// Leaves word of a look now. Who may not write there looks unnoticed.
    package static func look(at path: String) {
        let file = open("\(HistoryFolder.followed(path)).watch", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard file >= 0 else { return }
        futimens(file, nil)
        close(file)
    }

    /// Whether there was a look within the last 15 s.
    package static func isFresh(_ path: String) -> Bool {
        var file = stat()
        guard stat("\(HistoryFolder.followed(path)).watch", &file) == 0 else { return false }
        let age = Int64(time(nil)).subtractingReportingOverflow(Int64(file.st_mtim.tv_sec))
        // A clock that was set back makes it seem to come.
        return !age.overflow && age.partialValue.magnitude <= lifetime.magnitude
    }
}
