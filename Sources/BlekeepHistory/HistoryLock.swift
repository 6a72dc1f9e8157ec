import BlekeepRecords
import Glibc

/// The exclusive right to append to a history: an flock(2) on a file beside it. The kernel releases it when the process
/// ends. The file stays, because after its removal two processes could lock two files of the same name.
struct HistoryLock: ~Copyable {
    private let descriptor: Int32
    private let isWritable: Bool
    private let isOneOff: Bool

    /// - Parameters:
    ///   - file: the database, without symbolic links.
    ///   - path: the database as the user calls it.
    ///   - wasOurs: whether blekeep has opened the database before.
    ///   - isOneOff: whether the process ends by itself, after some ticks.
    /// - Throws: `HistoryError.inUse` when another process, or another `History` of this one, holds it.
    init(_ file: String, path: String, wasOurs: Bool, isOneOff: Bool = false) throws(HistoryError) {
        let name = "\(file).lock"
        // Don't follow a link, which may lead to another program's file. Don't wait for a pipe.
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let lock = open(name, flags, HistoryMode.widest(for: file))
        guard lock >= 0 else {
            let code = errno
            throw [ELOOP, EISDIR, ENXIO].contains(code)
                ? Self.strange(name, at: path) : HistoryError(system: code, path: path)
        }
        var status = stat()
        guard fstat(lock, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(lock)
            throw Self.strange(name, at: path)
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            let holder = Self.holder(lock)
            close(lock)
            throw code == EWOULDBLOCK ? .inUse(path: path, pid: holder) : HistoryError(system: code, path: path)
        }
        if Self.isOurs(lock, status: status) {
            Self.write(isOurs: wasOurs, isOneOff: isOneOff, to: lock)
            isWritable = true
        } else {
            isWritable = false
        }
        descriptor = lock
        self.isOneOff = isOneOff
    }

    /// Records that the database is a history, so that a later loss of its header counts as damage.
    func sign() { if isWritable { Self.write(isOurs: true, isOneOff: isOneOff, to: descriptor) } }

    /// Writes the process number for another poller's message, and the mark for the next start. On a full disk, the lock
    /// works without them.
    private static func write(isOurs: Bool, isOneOff: Bool, to lock: Int32) {
        let text = Array("\(getpid())\(isOneOff ? oneOffMark : "")\n\(isOurs ? mark : "")".utf8)
        _ = ftruncate(lock, 0)
        _ = pwrite(lock, text, text.count, 0)
    }

    private static let mark = "history\n"
    /// Follows the number of a process that ends by itself, after some ticks.
    static let oneOffMark = " once"

    private static func strange(_ name: String, at path: String) -> HistoryError {
        .failed(path: path, reason: "its lock file \(name) isn't a regular file; move it away")
    }

    /// Whether the file is blekeep's lock: it has one name, and is empty or starts with a process number.
    private static func isOurs(_ lock: Int32, status: stat) -> Bool {
        guard status.st_uid == geteuid() || geteuid() == 0, status.st_nlink == 1 else { return false }
        return status.st_size == 0 || status.st_size <= 24 && holder(lock) != nil
    }

    /// Whether a poller has ever opened a history here: a poller that was refused leaves a lock file without the mark.
    static func isSigned(_ file: String) -> Bool {
        let text = SystemFile.bytes(of: "\(file).lock", atMost: 24).map { String(decoding: $0, as: UTF8.self) }
        return text?.hasSuffix("\n\(mark)") ?? false
    }

    deinit {
        // Closing isn't enough: a process that another thread has just forked shares the lock until its exec.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func holder(_ descriptor: Int32) -> Int32? {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: buffer.prefix(count).prefix { $0 > UInt8(ascii: " ") }, as: UTF8.self))
    }
}
