/// The size of a history on the disk.
package enum HistorySize {
    /// Returns the bytes of the database with its log; `nil` when there is none.
    package static func bytes(of path: String) -> Int64? {
        let file = HistoryFile.followed(path)
        return HistoryFile(file).map { $0.size + HistoryFile.logSize(of: file) }
    }

    /// Returns the bytes of a log that has long outgrown its share, as a program stays in a transaction; `nil` otherwise.
    package static func heldLog(of path: String) -> Int64? {
        let size = HistoryFile.logSize(of: HistoryFile.followed(path))
        return size > 2 * HistoryLimits.maxLog ? size : nil
    }

    /// Returns a size for people, such as `12.3 MiB`.
    package static func text(_ bytes: Int64) -> String {
        let units = ["KiB", "MiB", "GiB", "TiB"]
        var (size, unit) = (Double(max(0, bytes)) / 1024, 0)
        while size >= 1000, unit + 1 < units.count {
            size /= 1024
            unit += 1
        }
        return "\(ReportFacts.text(size)) \(units[unit])"
    }
}
