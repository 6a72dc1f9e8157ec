import Glibc

/// A reader that stays open until its path leads to another file.
///
/// It stays open because GRDB starts threads when it closes a connection.
package struct KeptReader: Sendable {
    private struct Open: Sendable {
        let reader: HistoryReader
        let file: HistoryFile
    }

    package let path: String
    private let patience: Duration
    private var open: Open?

    /// - Parameter patience: how long a call waits while another program holds the database.
    package init(path: String, patience: Duration = .seconds(2)) {
        self.path = path
        self.patience = patience
    }

    package mutating func close() { open = nil }

    /// Reads with the open connection, or with a new one. After an error, the next call opens a new one.
    ///
    /// - Throws: `HistoryError`, and what `body` throws.
    package mutating func read<Result: Sendable>(_ body: (HistoryReader) throws -> Result) throws -> Result {
        let file = HistoryFile(path)
        if let open, let file, file.isSame(as: open.file), !open.reader.isOutdated {
            do { return try body(open.reader) } catch {
                self.open = nil
                throw error
            }
        }
        open = nil
        let reader = try HistoryReader(path: path, patience: patience)
        let result = try body(reader)
        open = file.map { Open(reader: reader, file: $0) }
        return result
    }
}
