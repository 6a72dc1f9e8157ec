/// A reader that stays open until its path leads to another file.
///
/// It stays open because GRDB starts threads when it closes a connection.
package struct KeptReader: Sendable {
    private struct Open: Sendable {
        let reader: HistoryReader
        let file: HistoryFile
        /// SQLite goes on with a log that has no name any more.
        let log: HistoryFile?
    }

    package let path: String
    private let patience: Duration
    private var open: Open?

    /// - Parameter patience: how long a call waits while another program holds the database.
    package init(path: String, patience: Duration = .seconds(2)) { (self.path, self.patience) = (path, patience) }

    package mutating func close() { open = nil }

    /// Reads with the open connection, or with a new one. After a `HistoryError`, the next call opens a new one.
    /// Throws `HistoryError`, and what `body` throws.
    package mutating func read<Result: Sendable>(_ body: (HistoryReader) throws -> Result) throws -> Result {
        do { return try body(try current()) } catch let error as HistoryError {
            open = nil
            throw error
        }
    }

    /// Where there was no log, the open connection has the one that came since.
    private func isSame(_ log: HistoryFile?, as before: HistoryFile?) -> Bool {
        guard let before else { return true }
        return log?.isSame(as: before) ?? false
    }

    private mutating func current() throws(HistoryError) -> HistoryReader {
        let (file, log) = (HistoryFile(path), HistoryFile("\(HistoryFile.followed(path))-wal"))
        if let open, let file, file.isSame(as: open.file), isSame(log, as: open.log), !open.reader.isOutdated {
            return open.reader
        }
        open = nil
        let reader = try HistoryReader(path: path, patience: patience)
        open = file.map { Open(reader: reader, file: $0, log: log) }
        return reader
    }
}
