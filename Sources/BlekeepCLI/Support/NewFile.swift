import BlekeepOutputs
import Glibc

/// Writes files that were not there before.
enum NewFile {
    /// Writes a file with the folders above it.
    ///
    /// - Throws: a failure when it is there already, or cannot be written; nothing is left of it then.
    static func write(_ text: String, to path: String) throws(Failure) {
        makeFolders(above: path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw refusal(path, errno) }
        defer { close(descriptor) }
        let octets = Array(text.utf8)
        var written = 0
        while written < octets.count {
            let count = octets.withUnsafeBytes { buffer in
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
            case EEXIST: "it is there already, and is not touched"
            case EACCES, EPERM: "this user may not write there; try with sudo, or name a file with -c"
            case ENOSPC: "the disk is full"
            case EROFS: "that file system can only be read"
            default: strerror(code).map { String(cString: $0) } ?? "error \(code)"
            }
        return Failure(.badConfiguration, "\(Untrusted.whole(path)) was not written: \(why)")
    }
}
