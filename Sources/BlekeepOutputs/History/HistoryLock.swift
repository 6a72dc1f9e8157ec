import Glibc

/// The sole right to append to a history: an flock(2) on a file beside it, which the kernel lifts when the process
/// ends, however it ends. The file stays: to remove it would let two processes lock two files of one name.
struct HistoryLock: ~Copyable {
    private let descriptor: Int32

    /// - Throws: `HistoryError.inUse` when another process, or another `History` of this one, holds it.
    init(path: String) throws(HistoryError) {
        let file = open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
        guard file >= 0 else {
            let code = errno
            throw HistoryError(system: code, path: path)
        }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            let holder = Self.holder(file)
            close(file)
            throw code == EWOULDBLOCK ? .inUse(path: path, pid: holder) : HistoryError(system: code, path: path)
        }
        // For the message of whoever comes second; the lock holds without it, on a full disk too.
        let text = Array("\(getpid())\n".utf8)
        _ = ftruncate(file, 0)
        _ = pwrite(file, text, text.count, 0)
        descriptor = file
    }

    /// Whether somebody has ever appended here.
    static func exists(path: String) -> Bool { access("\(path).lock", F_OK) == 0 }

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
