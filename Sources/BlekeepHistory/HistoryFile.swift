import Glibc

/// A file of a history: its identity, which shows that the open database was removed or replaced, and its size.
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

    /// Returns the bytes of a database's log, without following links.
    static func logSize(of file: String) -> Int64 { HistoryFile("\(file)-wal")?.size ?? 0 }

    // MARK: Its path

    /// Returns a path that SQLite opens as a file, not as a URI or as a database in memory.
    static func plain(_ path: String) throws(HistoryError) -> String {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw .failed(path: path, reason: "its path is empty or holds a NUL; say the path of a file")
        }
        return path.hasPrefix("/") || path.hasPrefix("./") || path.hasPrefix("../") ? path : "./\(path)"
    }

    /// Returns the file that `path` leads to through symbolic links, so that all its paths have the same lock and log.
    /// Throws `HistoryError`, also when the folder above it is missing.
    static func resolved(_ path: String) throws(HistoryError) -> String {
        var file = try plain(path)
        for _ in 0..<maxLinks {
            let slash = file.lastIndex(of: "/") ?? file.startIndex
            guard let real = realpath(slash == file.startIndex ? "/" : String(file[..<slash]), nil) else {
                throw HistoryError(system: errno, path: path)
            }
            defer { free(real) }
            let folder = String(cString: real)
            file = (folder == "/" ? "" : folder) + file[slash...]
            guard let target = target(of: file) else { return file }
            file = target.hasPrefix("/") ? target : "\(folder)/\(target)"
        }
        throw .failed(path: path, reason: "too many symbolic links lead to it; use another path")
    }

    /// Refuses a file that isn't a regular one, such as a pipe: opening it would wait.
    ///
    /// - Parameter file: the file that `path` leads to.
    static func checkKind(_ file: String, path: String) throws(HistoryError) {
        var status = stat()
        guard stat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
        throw .notAHistory(path: path)
    }

    /// Refuses a database with a second name: a poller started with that name would use another lock and log.
    static func checkNames(_ file: String, path: String) throws(HistoryError) {
        var status = stat()
        guard stat(file, &status) == 0, status.st_nlink > 1 else { return }
        let reason =
            "it has \(status.st_nlink) names (hard links), so two pollers could write it; remove the others, which "
            + "'find -samefile' lists"
        throw .failed(path: path, reason: reason)
    }

    /// Returns the resolved path, or `path` itself if it can't be resolved.
    static func followed(_ path: String) -> String { (try? resolved(path)) ?? path }

    /// As many as the kernel follows.
    private static let maxLinks = 40

    private static func target(of link: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }

    /// Makes the folders above `path` that do not exist, for their owner and the group to read (0750).
    static func makeFolders(above path: String) throws(HistoryError) {
        var end = path.utf8.startIndex
        while let slash = path.utf8[end...].dropFirst().firstIndex(of: UInt8(ascii: "/")) {
            let folder = String(path[..<slash])
            if mkdir(folder, 0o750) != 0, errno != EEXIST {
                let code = errno
                if access(folder, F_OK) != 0 { throw HistoryError(system: code, path: folder) }
            }
            end = slash
        }
    }
}
