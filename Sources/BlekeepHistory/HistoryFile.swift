import Glibc

/// The identity of a file. It shows that the open database was removed or replaced.
struct HistoryFile: Hashable, Sendable {
    private var device: UInt64
    private var inode: UInt64
    /// In bytes.
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
