import BlekeepOutputs
import BlekeepRecords
internal import GRDB
import Glibc

extension HistoryReader {
    /// Copies the history to one file, also while the poller appends to it.
    ///
    /// The copy has all that was stored when it began: SQLite copies the pages in one transaction, which doesn't stop the
    /// poller. It then checks the pages. Copying the files instead would miss readings in the log, and mix old pages with
    /// new ones.
    ///
    /// - Parameter destination: the file, which appears when it is complete and on the disk, in place of an earlier one.
    /// - Returns: the number of readings in the copy.
    /// - Throws: `HistoryError` with the path of the file concerned; `UserError`.
    package func backUp(to destination: String) throws -> Int {
        let file = try HistoryFile.plain(destination)
        guard HistoryFile.followed(path) != HistoryFile.followed(file), !HistoryFile.isOpenElsewhere(file) else {
            throw HistoryError.failed(path: destination, reason: "a program uses it; name another file for the backup")
        }
        // Another file, or another program's database, isn't an earlier backup.
        if let size = HistoryFile(file)?.size, size > 0, !HistorySchema.isHistory(file) {
            throw HistoryError.failed(
                path: destination, reason: "it is there already, and isn't a history; name another file for the backup")
        }
        // SQLite would take a log beside the copy for the copy's own.
        for log in ["-wal", "-journal"].map({ file + $0 }) where access(log, F_OK) == 0 {
            throw HistoryError.failed(
                path: destination, reason: "the log of another database is beside it; move \(log) away")
        }
        let whole = try WholeFile(file)
        // As private as the history would be there.
        _ = HistoryMode.tighten(whole.temporaryPath)
        do {
            let copy = try DatabaseQueue(path: whole.temporaryPath)
            try queue.backup(to: copy)
            let (isSound, readings) = try copy.writeWithoutTransaction { database in
                // One file is easier to keep than one with a log. A poller changes this back.
                try database.execute(sql: "PRAGMA journal_mode = DELETE")
                // What follows in the history isn't what would follow in the copy.
                try HistoryPart.begin(at: (try History.lastSequence(in: database) ?? 0) + 1, in: database)
                let isSound = try String.fetchOne(database, sql: "PRAGMA quick_check(1)") == "ok"
                return (isSound, isSound ? try Int.fetchOne(database, sql: "SELECT count(*) FROM measurements") : nil)
            }
            try copy.close()
            guard isSound else { throw HistoryError.damaged(path: path) }
            try whole.finish()
            return readings ?? 0
        } catch let error as DatabaseError {
            // Damage is in the history: the copy is a new file.
            let isDamage = [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.extendedResultCode.primaryResultCode)
            throw HistoryError(error, path: isDamage ? path : destination)
        }
    }
}
