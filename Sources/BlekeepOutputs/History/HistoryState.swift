internal import GRDB
import Glibc

/// The open database of a history, and what is known of it.
struct HistoryState: ~Copyable {
    /// `nil` when it has to be opened again: after an error that says nothing good of the connection.
    var queue: DatabaseQueue?
    /// The last sequence number that was given here.
    var last: Int64 = 0
    /// The file of `queue`, and that of its log.
    var file: HistoryFile?
    var log: HistoryFile?
    var inspection = HistoryInspection()
    var repairs = RepairBudget()
    var series = SeriesIndex()
    var heartbeats = HeartbeatWriter()
    /// Whether commits are synchronous now; the pragma is switched when an append asks for the other.
    var isDurable = false
    /// `nil` after `close`.
    var lock: HistoryLock?

    mutating func take(_ queue: DatabaseQueue, _ path: String) {
        self.queue = queue
        file = HistoryFile(path)
        log = HistoryFile("\(path)-wal")
    }

    /// What was known of the database's rows may be so no more.
    mutating func forget() {
        series.reset()
        heartbeats.reset()
    }

    /// Lets the database be opened again.
    mutating func drop() {
        try? queue?.close()
        queue = nil
        isDurable = false
        forget()
    }
}

/// Which file was opened: whoever removes it, or puts another in its place, leaves the database writing to one that has
/// no name any more.
struct HistoryFile: Hashable {
    private var device: UInt64
    private var inode: UInt64
    private var size: Int64

    /// `nil`: there is none.
    init?(_ path: String) {
        var file = stat()
        guard stat(path, &file) == 0 else { return nil }
        device = UInt64(file.st_dev)
        inode = UInt64(file.st_ino)
        size = Int64(file.st_size)
    }

    func isSame(as other: HistoryFile) -> Bool { device == other.device && inode == other.inode }

    /// Whether it is the same file, and has not become shorter, which no history ever does.
    func continues(_ before: HistoryFile) -> Bool { isSame(as: before) && size >= before.size }
}
