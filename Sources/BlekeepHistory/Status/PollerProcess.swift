import BlekeepRecords
import Glibc

/// The state of the polling process and of its disk, as the system reports it.
package enum PollerProcess {
    /// Whether a signal or a debugger has stopped the process.
    package static func isStopped(_ pid: Int32) -> Bool {
        guard let line = SystemFile.line(of: "/proc/\(pid)/stat"), let name = line.lastIndex(of: ")") else {
            return false
        }
        let state = line[line.index(after: name)...].first { $0 != " " }
        return state == "T" || state == "t"
    }

    /// Whether the disk of the history at `path` is full. SQLite needs a few pages for each commit.
    package static func isDiskFull(_ path: String) -> Bool {
        var space = statvfs()
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard statvfs(path, &space) == 0 || statvfs(folder, &space) == 0 else { return false }
        let (bytes, overflow) = UInt64(space.f_bavail).multipliedReportingOverflow(by: UInt64(space.f_frsize))
        return !overflow && bytes < 64 << 10 || space.f_files > 0 && space.f_favail == 0
    }
}
