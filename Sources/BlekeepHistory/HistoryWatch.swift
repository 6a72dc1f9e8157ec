import Glibc
import RunLoop

/// Whether another process shows a history to the user: a file beside it has the time of the last view.
package enum HistoryWatch {
    /// The time between two marks of a viewer.
    package static let period: Duration = .seconds(5)
    /// The seconds after a mark in which the history counts as watched.
    static let lifetime: Int64 = 15

    /// Marks the history as watched. Without the right to write there, the poller doesn't notice the viewer.
    package static func look(at path: String) {
        let file = open("\(HistoryFile.followed(path)).watch", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard file >= 0 else { return }
        futimens(file, nil)
        close(file)
    }

    /// Whether a viewer marked the history within the last 15 s.
    package static func isFresh(_ path: String) -> Bool {
        var file = stat()
        guard stat("\(HistoryFile.followed(path)).watch", &file) == 0 else { return false }
        let age = (WallClock.milliseconds() / 1000).subtractingReportingOverflow(Int64(file.st_mtim.tv_sec))
        // After the clock was set back, the time may be in the future.
        return !age.overflow && age.partialValue.magnitude <= lifetime.magnitude
    }
}
