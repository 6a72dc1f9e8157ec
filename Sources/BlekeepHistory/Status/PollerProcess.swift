import BlekeepRecords
import RunLoop

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
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard let space = FileSystemSpace(of: path) ?? FileSystemSpace(of: folder) else { return false }
        return space.free < 64 << 10 || !space.takesFiles
    }
}
