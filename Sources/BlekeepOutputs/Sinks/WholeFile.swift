import BlekeepRecords
import Glibc

/// The file that becomes `PATH` when it is complete: `PATH.part-PID`. A killed process leaves it, and the next one that
/// writes `PATH` removes it.
package enum PartFile {
    /// Creates the file for `path`. Returns its descriptor; −1 for a failure, which `errno` has.
    package static func create(for path: String, mode: mode_t) -> (path: String, descriptor: Int32) {
        removeAbandoned(for: path)
        let part = "\(path).part-\(getpid())"
        return (part, open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode))
    }

    /// Gives a complete file its name, unless that is taken. Who is killed here leaves one of the two names, never both.
    /// Returns whether it has the name; `errno` has the failure.
    package static func name(_ part: String, _ path: String) -> Bool {
        guard access(path, F_OK) != 0 else {
            errno = EEXIST
            return false
        }
        return rename(part, path) == 0
    }

    private static func removeAbandoned(for path: String) {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let head = "\(slash.map { path[path.index(after: $0)...] } ?? path[...]).part-"
        for name in SystemFile.names(in: folder) ?? [] where name.hasPrefix(head) {
            // SQLite has logs beside a copy.
            let number = name.dropFirst(head.count).prefix { $0.isASCII && $0.isNumber }
            let rest = name.dropFirst(head.count + number.count)
            guard let writer = pid_t(number), ["", "-journal", "-wal", "-shm"].contains(rest),
                writer == getpid() || kill(writer, 0) != 0 && errno == ESRCH
            else { continue }
            unlink("\(folder)/\(name)")
        }
    }
}

/// A file that other programs see only when it is complete: it gets its name after all of it is written.
package final class WholeFile {
    private let path: String
    /// The name that the file has until `finish`. SQLite may write to it, too.
    package let temporaryPath: String
    private var descriptor: Int32

    /// Creates a temporary file. An existing file at the path stays until `finish`.
    ///
    /// - Parameter isPublic: whether every user may read the file.
    /// - Throws: `UserError`.
    package init(_ path: String, isPublic: Bool = false) throws {
        self.path = path
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw UserError(writing: path, "it isn't a plain file")
        }
        (temporaryPath, descriptor) = PartFile.create(for: path, mode: 0o640)
        guard descriptor >= 0 else { throw UserError(writing: path, errno) }
        // Whatever the umask is.
        if isPublic { fchmod(descriptor, 0o644) }
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        unlink(temporaryPath)
    }

    package func write(_ bytes: [UInt8]) throws {
        if let code = SystemFile.write(bytes, to: descriptor) { throw UserError(writing: path, code) }
    }

    /// Gives the file its name.
    ///
    /// - Parameter isDurable: whether to write the file to disk first, so that it is complete after a power cut.
    package func finish(isDurable: Bool = true) throws {
        guard !isDurable || fsync(descriptor) == 0, rename(temporaryPath, path) == 0 else {
            throw UserError(writing: path, errno)
        }
        close(descriptor)
        descriptor = -1
    }
}

extension UserError {
    package init(writing path: String, _ reason: String) {
        self.init("can't write \(Untrusted(path, limit: 300)): \(reason)")
    }

    /// - Parameter code: the system's error number.
    package init(writing path: String, _ code: Int32) {
        switch code {
        case ENOSPC: self.init(writing: path, "the disk is full; make room")
        case ENOENT: self.init(writing: path, "there is no such folder; make it")
        default: self.init(writing: path, SystemError.words(for: code))
        }
    }
}
