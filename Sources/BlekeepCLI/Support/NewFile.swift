import BlekeepOutputs
import Glibc

/// Writes new files.
enum NewFile {
    /// Writes a new file, and creates the folders above it.
    ///
    /// - Throws: a failure when the file exists, or when writing fails. Then no part of the file stays.
    static func write(_ text: String, to path: String) throws(Failure) {
        makeFolders(above: path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw refusal(path, errno) }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let code = errno
                unlink(path)
                throw refusal(path, code)
            }
            written += count
        }
    }

    private static func makeFolders(above path: String) {
        var folder = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: true).dropLast() {
            folder += (folder.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
            mkdir(folder, 0o755)
        }
    }

    private static func refusal(_ path: String, _ code: Int32) -> Failure {
        let why =
            switch code {
            case EEXIST: "it exists already"
            case EACCES, EPERM: "this user has no permission; try with sudo, or name a file with -c"
            case ENOSPC: "the disk is full"
            case EROFS: "the file system is read-only"
            default: strerror(code).map { String(cString: $0) } ?? "error \(code)"
            }
        return Failure(.badConfiguration, "can't write \(Untrusted.whole(path)): \(why)")
    }
}
