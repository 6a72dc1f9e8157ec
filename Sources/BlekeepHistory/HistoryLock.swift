import Glibc

/// The sole right to append to a history: an flock(2) on a file beside it, which the kernel lifts when the process
/// ends, however it ends. The file stays: to remove it would let two processes lock two files of one name.
struct HistoryLock: ~Copyable {
    private let descriptor: Int32
    private let isWritable: Bool

    /// - Parameters:
    ///   - file: the database, without symbolic links.
    ///   - path: the database as the user calls it.
    ///   - wasOurs: whether blekeep has opened the database before.
    /// - Throws: `HistoryError.inUse` when another process, or another `History` of this one, holds it.
    init(_ file: String, path: String, wasOurs: Bool) throws(HistoryError) {
        let name = "\(file).lock"
        // A link would let us lock, or even write, a file that has nothing to do with us; a pipe would let us wait.
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let lock = open(name, flags, HistoryMode.widest(for: file))
        guard lock >= 0 else {
            let code = errno
            throw [ELOOP, EISDIR, ENXIO].contains(code)
                ? Self.strange(name, path) : HistoryError(system: code, path: path)
        }
        var status = stat()
        guard fstat(lock, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(lock)
            throw Self.strange(name, path)
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            let holder = Self.holder(lock)
            close(lock)
            throw code == EWOULDBLOCK ? .inUse(path: path, pid: holder) : HistoryError(system: code, path: path)
        }
        if Self.isOurs(lock, status) {
            Self.write(wasOurs, to: lock)
            isWritable = true
        } else {
            isWritable = false
        }
        descriptor = lock
    }

    /// Records that the database is a history, so that what smashes its header later is damage.
    func sign() { if isWritable { Self.write(true, to: descriptor) } }

    /// For the message of the poller that comes second, and for the next start; the lock holds without it, on a full disk
    /// too.
    private static func write(_ isOurs: Bool, to lock: Int32) {
        let text = Array("\(getpid())\n\(isOurs ? mark : "")".utf8)
        _ = ftruncate(lock, 0)
        _ = pwrite(lock, text, text.count, 0)
    }

    private static let mark = "history\n"

    private static func strange(_ name: String, _ path: String) -> HistoryError {
        .failed(path: path, reason: "its lock file \(name) isn't a regular file; move it away")
    }

    /// Whether the file is a lock of ours: it has no other name, and holds nothing or a process's number.
    private static func isOurs(_ lock: Int32, _ status: stat) -> Bool {
        guard status.st_uid == geteuid() || geteuid() == 0, status.st_nlink == 1 else { return false }
        return status.st_size == 0 || status.st_size <= 24 && holder(lock) != nil
    }

    /// Whether a poller has ever opened a history here: a poller that was refused leaves a lock file without the mark.
    static func isSigned(_ file: String) -> Bool {
        let text = FileHead.octets(of: "\(file).lock", 24).map { String(decoding: $0, as: UTF8.self) }
        return text?.hasSuffix("\n\(mark)") ?? false
    }

    deinit {
        // A child that another thread has just forked holds the same lock until its exec: closing alone would leave it.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func holder(_ descriptor: Int32) -> Int32? {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: buffer.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
