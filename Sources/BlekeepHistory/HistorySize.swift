import BlekeepOutputs

/// The size of a history on the disk.
package enum HistorySize {
    /// Returns the bytes of the database with its log; `nil` when there is none.
    package static func bytes(of path: String) -> Int64? {
        let file = HistoryFolder.followed(path)
        return HistoryFile(file).map { $0.size + log(of: file) }
    }

    /// Returns the bytes of a database's log, without following links.
    static func log(of file: String) -> Int64 { HistoryFile("\(file)-wal")?.size ?? 0 }

    /// Returns the bytes of a log that has long outgrown its share, as a program stays in a transaction; `nil` otherwise.
    package static func heldLog(of path: String) -> Int64? {
        let size = log(of: HistoryFolder.followed(path))
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
