internal import GRDB
import Glibc

/// The open database of a history, and what is known of it.
struct HistoryState: ~Copyable {
    /// `nil` when it has to be opened again: after an error that says nothing good of the connection.
    var queue: DatabaseQueue?
    /// The last sequence number that was given.
    var last: Int64 = 0
    /// The file of `queue`, and the files of its log and of the log's index.
    var file: HistoryFile?
    var log: HistoryFile?
    var index: HistoryFile?
    var inspection = HistoryInspection()
    /// What is still to be copied from a damaged history.
    var salvage: Salvage?
    var upkeep: Upkeep
    var series = SeriesIndex()
    var clocks = ClockLog()
    var heartbeats = HeartbeatWriter()
    /// Whether commits are synchronous now; the pragma is switched when an append asks for the other.
    var isDurable = false
    /// The database without symbolic links; empty until the first attempt to open it.
    var place = ""
    /// `nil` before the history could be opened, and after `close`.
    var lock: HistoryLock?
    /// Whether a history lay there before.
    var wasOurs = false
    /// Whether the database was open once.
    var isBegun = false
    var isClosed = false

    init(_ limits: HistoryLimits) { upkeep = Upkeep(limits) }

    mutating func take(_ queue: DatabaseQueue, _ path: String) {
        self.queue = queue
        isBegun = true
        // A larger one is damaged, and must not be handed on to the history that takes its place.
        if let given = try? queue.read(History.givenSequence), given < History.mostNumber { last = max(last, given) }
        upkeep.begin(queue)
        salvage = (try? queue.read { try Salvage.next(in: $0, of: path) }) ?? nil
        file = HistoryFile(path)
        log = HistoryFile("\(path)-wal")
        index = HistoryFile("\(path)-shm")
    }

    /// What was known of the database's rows may be so no more.
    mutating func forget() {
        series.reset()
        clocks.reset()
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
    /// In octets.
    private(set) var size: Int64

    /// `nil`: there is none.
    init?(_ path: String) {
        var file = stat()
        guard lstat(path, &file) == 0 else { return nil }
        device = UInt64(file.st_dev)
        inode = UInt64(file.st_ino)
        size = Int64(file.st_size)
    }

    func isSame(as other: HistoryFile) -> Bool { device == other.device && inode == other.inode }

    /// Whether another program has this database open, as far as its locks tell: in WAL mode each connection holds
    /// SQLite's shared lock.
    static func isOpenElsewhere(_ path: String) -> Bool {
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // SQLite's "shared" range.
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0x4000_0002
        lock.l_len = 510
        guard fcntl(descriptor, F_GETLK, &lock) == 0 else { return false }
        return lock.l_type != Int16(F_UNLCK)
    }
}
